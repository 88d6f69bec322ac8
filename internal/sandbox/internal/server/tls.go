package server

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"sync"
	"time"
)

// keyBits is the documented size of the service's keys
// (service description, Recurring billing §1 Wire rules).
const keyBits = 2048

// Certificates use the real clock, not the sandbox's clock:
// clients verify them by theirs.
const certificateLife = 10 * 365 * 24 * time.Hour

// tlsConfig serves TLS 1.2 and 1.3 with the documented suites and no others.
// The three TLS 1.3 suites are the documented ones and cannot be configured
// in Go; of the TLS 1.2 suites Go does not implement
// ECDHE-RSA-AES256-SHA384, so a client that knows only that one is rejected.
func tlsConfig(certificate tls.Certificate) *tls.Config {
	return &tls.Config{
		Certificates: []tls.Certificate{certificate},
		MinVersion:   tls.VersionTLS12,
		CipherSuites: []uint16{
			tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
			tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256,
			tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
			tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
		},
	}
}

// Authority is a certificate authority in PEM, as the state file keeps it.
type Authority struct {
	Certificate []byte `json:"certificate"`
	Key         []byte `json:"key"`
}

// ProcessAuthority is shared by all servers of one process that keep no
// state: generating RSA keys takes longer than the rest of a start.
var ProcessAuthority = sync.OnceValues(NewAuthority)

// serverKey is likewise made once; the certificate over it is made per start.
var serverKey = sync.OnceValues(func() (*rsa.PrivateKey, error) {
	return rsa.GenerateKey(rand.Reader, keyBits)
})

// NewAuthority makes a certificate authority.
func NewAuthority() (Authority, error) {
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return Authority{}, fmt.Errorf("make the authority's key: %w", err)
	}
	template := certificateTemplate("Billing sandbox CA")
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return Authority{}, fmt.Errorf("make the authority's certificate: %w", err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return Authority{}, fmt.Errorf("encode the authority's key: %w", err)
	}
	return Authority{
		Certificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		Key:         pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}),
	}, nil
}

// issue makes a server certificate for loopback and for host.
func (a Authority) issue(host string) (tls.Certificate, error) {
	parent, parentKey, err := a.parse()
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := serverKey()
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make the server's key: %w", err)
	}
	template := certificateTemplate("Billing sandbox")
	template.KeyUsage = x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.DNSNames = []string{"localhost"}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = append(template.IPAddresses, ip)
	} else {
		template.DNSNames = append(template.DNSNames, host)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), parentKey)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make the server's certificate: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

func (a Authority) parse() (*x509.Certificate, crypto.PrivateKey, error) {
	certificate, _ := pem.Decode(a.Certificate)
	key, _ := pem.Decode(a.Key)
	if certificate == nil || key == nil {
		return nil, nil, errors.New("the certificate authority of the state file is not PEM")
	}
	parsed, err := x509.ParseCertificate(certificate.Bytes)
	if err != nil {
		return nil, nil, fmt.Errorf("read the authority's certificate: %w", err)
	}
	parsedKey, err := x509.ParsePKCS8PrivateKey(key.Bytes)
	if err != nil {
		return nil, nil, fmt.Errorf("read the authority's key: %w", err)
	}
	return parsed, parsedKey, nil
}

func certificateTemplate(name string) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		// 63 random bits: serial numbers of one authority must differ.
		SerialNumber: new(big.Int).SetBytes(serial()),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(certificateLife),
	}
}

func serial() []byte {
	b := make([]byte, 8)
	// Read never fails: it ends the process instead.
	_, _ = rand.Read(b)
	b[0] &= 0x7f
	return b
}
