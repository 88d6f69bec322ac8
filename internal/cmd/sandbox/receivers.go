package main

import (
	"context"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// receiverFlags defines the flags about where webhooks may go.
func receiverFlags(set *flag.FlagSet, o *sandbox.Options) {
	set.BoolVar(&o.AllowLoopbackReceivers, "allow-loopback-receivers", false, "let webhook endpoints be on this machine")
	set.Func("receiver-ca", "trust the authorities in this PEM `FILE` for webhook receivers too",
		func(file string) (err error) {
			o.ReceiverCAs, err = receiverAuthorities(file)
			return err
		})
	resolved := hosts{}
	set.Func("resolve", "let the name of a webhook receiver lead to this address, repeatable; `HOST=IP`",
		func(spec string) error {
			o.Resolver = resolved
			return resolved.add(spec)
		})
}

// receiverAuthorities are the system's authorities and those of a PEM file.
func receiverAuthorities(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool() // a machine without its own authorities
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no PEM certificate", file)
	}
	return pool, nil
}

// hosts are names of receivers that lead to an address of the user's choosing.
// All others are looked up as ever.
type hosts map[string]netip.Addr

// add reads HOST=IP.
func (h hosts) add(spec string) error {
	host, ip, found := strings.Cut(spec, "=")
	addr, err := netip.ParseAddr(ip)
	if !found || host == "" || err != nil {
		return errors.New("must be HOST=IP, such as hooks.example.com=127.0.0.1")
	}
	h[canonical(host)] = addr
	return nil
}

// LookupNetIP implements sandbox.Resolver.
func (h hosts) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	if addr, ok := h[canonical(host)]; ok {
		return []netip.Addr{addr}, nil
	}
	return net.DefaultResolver.LookupNetIP(ctx, network, host)
}

// canonical is a name as names are compared.
func canonical(host string) string {
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
