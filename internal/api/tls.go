package api

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
)

// maxPEMBytes bounds a certificate file: far more than any system's bundle.
const maxPEMBytes = 8 << 20

// tlsConfig offers TLS 1.2 and 1.3 with the ciphers that all three services
// document (service description, Recurring billing §1).
//
// Two things Go decides: the suites of TLS 1.3 cannot be configured, and the
// three it offers are exactly the three documented ones; and
// ECDHE-RSA-AES256-SHA384 (CBC with SHA-384) does not exist in crypto/tls, so
// of the five documented suites of TLS 1.2 the four others are offered.
//
// AES128-SHA256 is a CBC suite that Go counts as insecure and never picks
// while one of the others is shared; it is listed because it is documented.
func tlsConfig(roots *x509.CertPool) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		RootCAs:    roots,
		CipherSuites: []uint16{
			tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
			tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
			tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
			tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256,
		},
	}
}

// LoadCertPool returns the system's certificate authorities and those of a PEM
// file. It fails when the file cannot be read, holds no certificate, or holds
// one that cannot be parsed; private keys in it are rejected, because a private
// key is not a certificate authority.
func LoadCertPool(pemFile string) (*x509.CertPool, error) {
	info, err := os.Stat(pemFile)
	if err != nil {
		return nil, fmt.Errorf("read the CA certificate file: %w", err)
	}
	if info.IsDir() {
		return nil, fmt.Errorf("read the CA certificate file: %s is a folder, name the PEM file in it", pemFile)
	}
	if info.Size() > maxPEMBytes {
		return nil, fmt.Errorf("read the CA certificate file: %s has %d bytes, more than the %d a bundle may have", pemFile,
			info.Size(), maxPEMBytes)
	}
	data, err := os.ReadFile(pemFile)
	if err != nil {
		return nil, fmt.Errorf("read the CA certificate file: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("load the system's certificate authorities: %w", err)
	}
	if err := addCertificates(pool, data); err != nil {
		return nil, fmt.Errorf("CA certificate file %s: %w", pemFile, err)
	}
	return pool, nil
}

func addCertificates(pool *x509.CertPool, data []byte) error {
	count := 0
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			return fmt.Errorf("it holds a PEM block of type %q; only CERTIFICATE blocks belong into it", block.Type)
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return fmt.Errorf("certificate %d cannot be parsed: %w", count+1, err)
		}
		pool.AddCert(certificate)
		count++
	}
	if count == 0 {
		return fmt.Errorf("it holds no PEM certificate (expected blocks that start with -----BEGIN CERTIFICATE-----)")
	}
	return nil
}
