package hello_test

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/hello"
)

// rehearsing is the file of a rehearsal in the working directory.
func rehearsing(t *testing.T) hello.File {
	t.Helper()
	folder := t.TempDir()
	t.Chdir(folder)
	return hello.File{Number: "n", Folder: folder, Hello: "https://127.0.0.1:1/rehearsals",
		Services: map[string]hello.Service{"billing": {Address: "https://[::1]:2", Token: "t"}}}
}

func getenv(name string) func(string) string {
	return func(variable string) string {
		if variable == hello.Variable {
			return name
		}
		return ""
	}
}

// A file is honored only if it can be of a rehearsal that runs here.
func TestFileIsChecked(t *testing.T) {
	for name, c := range map[string]struct {
		change func(f *hello.File)
		mode   os.FileMode
		want   string
	}{
		"right":          {func(*hello.File) {}, 0o600, ""},
		"http":           {func(f *hello.File) { f.Hello = "http://127.0.0.1:1" }, 0o600, "is not https on a loopback address"},
		"a name":         {func(f *hello.File) { f.Hello = "https://localhost:1" }, 0o600, "is not https on a loopback address"},
		"another host":   {func(f *hello.File) { f.Services["finance"] = hello.Service{Address: "https://10.0.0.1"} }, 0o600, "https://10.0.0.1 is not"},
		"user info":      {func(f *hello.File) { f.Hello = "https://a@127.0.0.1" }, 0o600, "is not https"},
		"readable":       {func(*hello.File) {}, 0o640, "others may read or write the file (mode 0640)"},
		"elsewhere":      {func(f *hello.File) { f.Folder = os.TempDir() + "/none" }, 0o600, "the rehearsal runs in"},
		"without number": {func(f *hello.File) { f.Number = "" }, 0o600, "it is not the file of a rehearsal"},
	} {
		t.Run(name, func(t *testing.T) {
			f := rehearsing(t)
			file, err := f.Write()
			if err != nil {
				t.Fatal(err)
			}
			c.change(&f)
			f.Protocol = hello.Protocol
			content, err := json.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(file, c.mode); err != nil {
				t.Fatal(err)
			}
			got, err := hello.Find(getenv(file))
			switch {
			case c.want == "" && (err != nil || got.Number != "n"):
				t.Errorf("%+v, %v", got, err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(),
				"Unset BILLING_REHEARSAL")):
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

// Without the variable nothing in the folder of a rehearsal is used, and outside of one there is no rehearsal.
func TestFolderWithoutTheVariable(t *testing.T) {
	f := rehearsing(t)
	if found, err := hello.Find(getenv("")); found != nil || err != nil {
		t.Errorf("outside: %v, %v", found, err)
	}
	file, err := f.Write()
	if err != nil {
		t.Fatal(err)
	}
	inner := filepath.Join(f.Folder, "files", "infra")
	if err := os.MkdirAll(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(inner)
	if _, err := hello.Find(getenv("")); err == nil || !strings.Contains(err.Error(), "BILLING_REHEARSAL is not set") {
		t.Errorf("without the variable: %v", err)
	}
	if _, err := hello.Find(getenv(file)); err != nil {
		t.Errorf("with it: %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := hello.Find(getenv(file)); err == nil || !strings.Contains(err.Error(), "that rehearsal has ended") {
		t.Errorf("a file that is gone: %v", err)
	}
}

// The copy decides whether a provider may use it. A server that knows no rehearsals is none.
func TestSend(t *testing.T) {
	status, body := http.StatusNoContent, ""
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said, _ := io.ReadAll(r.Body)
		if r.URL.Path != "/rehearsals/n" || !strings.Contains(string(said), `"protocol":1`) || strings.Contains(string(said), "secret") {
			t.Errorf("%s %s", r.URL.Path, said)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	defer server.Close()
	f := rehearsing(t)
	f.Hello, f.CACertificateFile = server.URL+"/rehearsals", filepath.Join(f.Folder, "ca.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(f.CACertificateFile, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	greeting := hello.Greeting{Services: map[string]hello.Use{"billing": {Digest: hello.Digest("n", "secret")}}}
	if err := f.Send(t.Context(), greeting); err != nil {
		t.Error(err)
	}
	status, body = http.StatusConflict, "of another organization"
	if err := f.Send(t.Context(), greeting); err == nil || err.Error() != body {
		t.Errorf("refused: %v", err)
	}
	status = http.StatusNotFound
	if err := f.Send(t.Context(), greeting); err == nil || !strings.Contains(err.Error(), "does not know this rehearsal") {
		t.Errorf("unknown: %v", err)
	}
	server.Close()
	if err := f.Send(t.Context(), greeting); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("gone: %v", err)
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	if a, b := hello.Digest("1", "t"), hello.Digest("2", "t"); a == b || a != hello.Digest("1", "t") || hello.Digest("1",
		"") != "" {
		t.Errorf("%s %s", a, b)
	}
}
