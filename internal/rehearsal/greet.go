package rehearsal

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/recurring-billing/terraform-provider-billing/internal/copier"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/hello"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// greetings is the desk where each configured provider proves that it talks to the copy.
type greetings struct {
	number   string
	services map[string]string // addresses of the copied services
	tokens   map[string]string // with which they were read; none for a copy from a file

	mu      sync.Mutex
	count   int
	refused string // the reason of the first refusal
}

// newGreetings is the desk for the copy of an organization.
func newGreetings(services map[string]string, environ func(string) string, read bool) *greetings {
	g := &greetings{number: rand.Text(), services: services, tokens: map[string]string{}}
	if read {
		for name := range services {
			g.tokens[name] = environ(copier.Variables(name)[1])
		}
	}
	return g
}

// ServeHTTP handles POST /rehearsals/{number}.
func (g *greetings) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.PathValue("number") != g.number {
		http.NotFound(w, r)
		return
	}
	var said hello.Greeting
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil || json.Unmarshal(body, &said) != nil {
		http.Error(w, "the greeting cannot be read", http.StatusBadRequest)
		return
	}
	reason := g.judge(said)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count++
	if reason == "" {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if g.refused == "" {
		g.refused = reason
	}
	w.WriteHeader(http.StatusConflict)
	fmt.Fprint(w, reason)
}

// judge returns why a provider may not use the copy; "" if it may.
func (g *greetings) judge(said hello.Greeting) string {
	if said.Protocol != hello.Protocol {
		return fmt.Sprintf("provider %s speaks version %d of the rehearsal's protocol, and this billing-sandbox "+
			"version %d: use those of one release", said.Version, said.Protocol, hello.Protocol)
	}
	var reasons []string
	for _, name := range hello.Services {
		use := said.Services[name]
		address, copied := g.services[name]
		switch {
		case use.Address == "" || use.Digest == "" && !copied:
		case !copied:
			reasons = append(reasons, fmt.Sprintf("%s names the service at %s, of which the copy has nothing: set the "+
				"variables "+
				"%s for billing-sandbox too", use.AddressFrom, use.Address, strings.Join(copier.Variables(name), " and ")))
		case !hello.SameAddress(use.Address, address):
			reasons = append(reasons, fmt.Sprintf("%s names the service at %s, and the copy is of %s", use.AddressFrom,
				use.Address, address))
		}
		if token := g.tokens[name]; token != "" && use.Digest != "" && use.Digest != hello.Digest(g.number, token) {
			reasons = append(reasons, fmt.Sprintf("%s has another token than %s, with which the organization was copied",
				use.TokenFrom, copier.Variables(name)[1]))
		}
	}
	if len(reasons) == 0 {
		return ""
	}
	return strings.Join(reasons, "; ") + ". A rehearsal has the copy of one organization. Use the same addresses " +
		"and tokens in the configuration and in the variables of billing-sandbox."
}

// heard returns the number of greetings so far, and the reason of the first refusal.
func (g *greetings) heard() (count int, refused string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.count, g.refused
}

// tell writes the file that leads providers to the copy.
func (g *greetings) tell(w *workspace, copied *sandbox.Server, caFile string) (name string, err error) {
	env := copied.Env()
	file := hello.File{Number: g.number, Folder: w.temporary, Hello: copied.ControlURL() + "/rehearsals",
		Services: map[string]hello.Service{}, CACertificateFile: caFile, AuthHeader: env["BILLING_COLLECTIONS_AUTH_HEADER"]}
	for _, service := range hello.Services {
		if _, has := g.services[service]; has {
			variables := copier.Variables(service)
			file.Services[service] = hello.Service{Address: env[variables[0]], Token: env[variables[1]]}
		}
	}
	return file.Write()
}
