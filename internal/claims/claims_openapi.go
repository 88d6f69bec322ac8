package claims

import (
	"bytes"
	"maps"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

func openAPIClaims() []Claim {
	const source = "Financial management §4 Endpoints, §9 Versioning; wire contract: finance.openapi."
	return []Claim{
		financeClaim(791, source+"json",
			"The machine-readable description in JSON is an OpenAPI document with info and paths.", checkOpenAPIJSON),
		financeClaim(792, source+"json", "The description has every operation of the wire contract with its path and method.",
			checkOpenAPIOperations),
		financeClaim(793, source+"yaml",
			"The description in YAML exists, declares it in Content-Type and has the same paths.", checkOpenAPIYAML),
	}
}

var openAPIForm = regexp.MustCompile(`^3\.[0-9]+\.[0-9]+`)

func (p *probe) openAPI() *response { return p.get(openAPIJSONPath).wantStatus(http.StatusOK) }

func checkOpenAPIJSON(p *probe) {
	a := p.openAPI().wantMatch("openapi", openAPIForm)
	a.text("info.title")
	a.text("info.version")
	a.paths()
}

// paths are the described ones, each with its methods.
func (a *response) paths() map[string]any {
	paths, _ := a.at("paths").(map[string]any)
	if len(paths) == 0 {
		a.failf("paths is %s, want an object with the paths", show(a.at("paths")))
	}
	return paths
}

func checkOpenAPIOperations(p *probe) {
	a := p.openAPI()
	paths := a.paths()
	for _, operation := range evidence.Operations() {
		if strings.HasPrefix(operation.Name, "finance.") && !describes(paths, operation) {
			a.failf("%s %s is not described", operation.Method, operation.Path)
		}
	}
}

// describes reports whether one of the paths is the operation's and has its method.
// A placeholder may have any name.
func describes(paths map[string]any, operation evidence.Operation) bool {
	for path, item := range paths {
		methods, _ := item.(map[string]any)
		_, has := methods[strings.ToLower(operation.Method)]
		if has && slices.EqualFunc(strings.Split(path, "/"), strings.Split(operation.Path, "/"), sameSegment) {
			return true
		}
	}
	return false
}

func sameSegment(got, wanted string) bool {
	return got == wanted || strings.HasPrefix(wanted, "{") && strings.HasPrefix(got, "{")
}

func checkOpenAPIYAML(p *probe) {
	a := p.send(call{method: http.MethodGet, path: openAPIYAMLPath, header: http.Header{"Accept": {"application/yaml"}}}).
		wantStatus(http.StatusOK)
	kind, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil || !strings.Contains(kind, "yaml") {
		a.failf("Content-Type is %q, want that of YAML", a.header.Get("Content-Type"))
	}
	for _, path := range slices.Sorted(maps.Keys(p.openAPI().paths())) {
		if !bytes.Contains(a.raw, []byte(path)) {
			a.failf("the description in YAML does not have the path %s", path)
		}
	}
	if !regexp.MustCompile(`(?m)^["']?openapi["']?:`).Match(a.raw) {
		a.failf("the document does not say that it is OpenAPI: %s", clip(a.raw))
	}
}
