package internal_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The image of the sandbox starts it with flags that exist, and listens on the ports that it exposes. No test here can
// build an image.
func TestImageStartsTheSandbox(t *testing.T) {
	t.Parallel()
	dockerfile, err := os.ReadFile(filepath.Join(root, ".ci", "image", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	flags, err := os.ReadFile(filepath.Join(root, "internal", "cmd", "billing-sandbox", "serve.go"))
	if err != nil {
		t.Fatal(err)
	}
	var command []string
	found := regexp.MustCompile(`(?m)^CMD (\[.*\])$`).FindSubmatch(dockerfile)
	if found == nil || json.Unmarshal(found[1], &command) != nil || command[0] != "serve" {
		t.Fatalf("the command of the image is %v", command)
	}
	for i, argument := range command {
		name, isFlag := strings.CutPrefix(argument, "-")
		if isFlag && !strings.Contains(string(flags), `"`+name+`"`) {
			t.Errorf("serve has no flag -%s", name)
		}
		if strings.HasSuffix(argument, "-port") &&
			!regexp.MustCompile(`(?m)^EXPOSE .*\b`+command[i+1]+`\b`).Match(dockerfile) {
			t.Errorf("port %s is not exposed", command[i+1])
		}
	}
}
