package main

import (
	"net/netip"
	"slices"
	"testing"
)

func TestHosts(t *testing.T) {
	t.Parallel()
	known := hosts{}
	for _, spec := range []string{"Hooks.Example.com=127.0.0.1", "six.example.com.=::1"} {
		if err := known.add(spec); err != nil {
			t.Errorf("%q: %v", spec, err)
		}
	}
	for _, spec := range []string{"", "hooks.example.com", "=127.0.0.1", "hooks.example.com=",
		"hooks.example.com=localhost", "hooks.example.com=127.0.0.1:443"} {
		if err := known.add(spec); err == nil {
			t.Errorf("%q is taken", spec)
		}
	}
	for host, want := range map[string]string{"hooks.example.com": "127.0.0.1", "HOOKS.example.com.": "127.0.0.1",
		"six.example.com": "::1"} {
		got, err := known.LookupNetIP(t.Context(), "ip", host)
		if err != nil || !slices.Equal(got, []netip.Addr{netip.MustParseAddr(want)}) {
			t.Errorf("%s leads to %v, %v", host, got, err)
		}
	}
	if len(known) != 2 {
		t.Errorf("known are %v", known)
	}
}

// A resolver is only put in the system's place where there is a name to know.
func TestServeResolves(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		want bool
	}{{nil, false}, {[]string{"--resolve", "hooks.example.com=127.0.0.1"}, true}} {
		p := program{}
		set := p.flags(serveManual)
		options := &p.serveFlags(set).options
		if err := set.Parse(test.args); err != nil {
			t.Fatal(err)
		}
		if got := options.Resolver != nil; got != test.want {
			t.Errorf("%v: there is a resolver: %t", test.args, got)
		}
	}
}
