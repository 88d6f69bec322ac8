package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// --web serves the page and says where; without it nothing is said of one.
func TestServeSaysWhereThePageIs(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--web"}} {
		p := program{}
		set := p.flags(serveManual)
		wanted := p.serveFlags(set)
		if err := set.alone(args); err != nil {
			t.Fatal(err)
		}
		options, err := wanted.read(p)
		if err != nil {
			t.Fatal(err)
		}
		server, err := sandbox.Start(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { server.Close() })
		_, line, said := strings.Cut(addresses(server), "#   web page              ")
		if said != (args != nil) {
			t.Errorf("%v: the page is said to be at %q", args, line)
		}
		if !said {
			continue
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSpace(line), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s returns %d", line, response.StatusCode)
		}
	}
}

// A port alone asks for the page too. That it is taken shows that it was tried.
func TestServeTakesThePortOfThePage(t *testing.T) {
	t.Parallel()
	first, err := sandbox.Start(t.Context(), sandbox.Options{Web: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { first.Close() })
	_, port, _ := strings.Cut(strings.TrimPrefix(first.WebURL(), "http://"), ":")
	p := program{err: &strings.Builder{}, out: &strings.Builder{}}
	if err := p.serve(t.Context(), []string{"--web-port", port}); err == nil ||
		!strings.Contains(err.Error(), "web page on 127.0.0.1:"+port) {
		t.Errorf("serve on a port that is taken: %v", err)
	}
}
