package api

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
)

const (
	// NoRetryLimit is the MaxRetries that limits attempts only by time.
	NoRetryLimit = -1

	defaultRequestTimeout = 30 * time.Second
	defaultRetryTimeout   = 5 * time.Minute
	defaultMaxWait        = 20 * time.Minute
)

// Config is the configuration of the client of one service.
type Config struct {
	Service string   // "billing", "finance", "collections": named in errors and logs
	BaseURL string   // https://host[:port][/prefix]
	Token   string   // never logged, and in no error
	Secrets []string // treated like Token: tokens of other services, which a response may repeat
	Origin  any      // the caller's description of this configuration, included in each error
	// "" or "Authorization" sends "Bearer <token>"; any other header contains the bare token
	AuthHeader string
	UserAgent  string         // "": Go's own
	RootCAs    *x509.CertPool // nil: the system's
	// attempts after the first one, only for 5xx, 408 and transport errors; see NoRetryLimit
	MaxRetries int
	// maximum time for such attempts since the first failure, and for a limiter closed by 429 since the call's first one;
	// 0 means 5 min, or 20 s before the first response of the service
	RetryTimeout   time.Duration
	RequestTimeout time.Duration     // per attempt; 0 means 30 s
	MaxWait        time.Duration     // longest Retry-After of a 429 that is waited for; 0 means 20 min
	Limiter        *Limiter          // nil: a separate limiter without a client-side limit
	Operations     Operations        // zero value: the defaults
	Observer       Observer          // nil: none
	BulkRefresh    bool              // allow Refreshed to read lists instead of single objects
	Transport      http.RoundTripper // for tests; nil: the real one
	Random         func() float64    // for tests, also of the limiter; in [0, 1); nil: math/rand
}

// ValidateBaseURL accepts only an absolute https address with a host, an optional port and an optional path prefix. The
// services do not support plain http, and credentials or a query in an address would appear in logs. The error contains
// the advice, but never user information.
func ValidateBaseURL(raw string) error {
	_, err := parseBaseURL(raw)
	return err
}

func parseBaseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		// The parser's error repeats its input, which may contain a password.
		return nil, errors.New("the address cannot be parsed; write https://host, with an optional :port and /prefix")
	}
	if strings.ContainsFunc(raw, unicode.IsSpace) {
		return nil, errors.New("the address must not contain spaces")
	}
	switch {
	case u.Scheme != "https":
		return nil, errors.New("the address must start with https:// (the services support only HTTPS)")
	case u.Opaque != "" || u.Hostname() == "":
		return nil, errors.New("the address has no host; write https://host")
	case u.User != nil:
		return nil, errors.New("the address must not contain a user name or password; the token has its own argument")
	case u.RawQuery != "" || u.ForceQuery:
		return nil, errors.New("the address must not contain a query (?)")
	case strings.Contains(raw, "#"):
		return nil, errors.New("the address must not contain a fragment (#)")
	}
	if err := checkPort(u.Port()); err != nil {
		return nil, err
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		if segment == "." || segment == ".." {
			return nil, fmt.Errorf("the address must not contain a %q segment", segment)
		}
	}
	return u, nil
}

func checkPort(port string) error {
	if port == "" {
		return nil
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return errors.New("the port of the address must be a number from 1 to 65535")
	}
	return nil
}

// ValidateToken rejects a token that is not valid in a header: an empty one, or one with spaces, line breaks, control
// characters or non-ASCII characters. The error never contains the token.
func ValidateToken(token string) error {
	if token == "" {
		return errors.New("the token is empty")
	}
	for i := range len(token) {
		switch c := token[i]; {
		case c == '\n' || c == '\r':
			return errors.New("the token contains a line break; it was probably read from a file with its line end. Remove " +
				"it, for example with trimspace(file(…))")
		case c == ' ' || c == '\t':
			return errors.New("the token contains a space")
		case c < ' ' || c >= 0x7f:
			return errors.New("the token contains a character that is not valid in a header (a control character or one " +
				"beyond ASCII)")
		}
	}
	return nil
}

// ValidateAuthHeader accepts "" (the default) and header names for the token, except those that the protocol or this
// client sets itself.
func ValidateAuthHeader(name string) error {
	if name == "" {
		return nil
	}
	const symbols = "!#$%&'*+-.^_`|~"
	for _, c := range name {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && !strings.ContainsRune(symbols, c) {
			return errors.New("it is not the name of a header; write one like X-Api-Key")
		}
	}
	switch canonical := http.CanonicalHeaderKey(name); canonical {
	case "Accept", "Accept-Encoding", "Connection", "Content-Length", "Content-Type", "Host", "If-Modified-Since",
		"If-None-Match", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent", idempotencyHeader:
		return fmt.Errorf("the header %s has another meaning and cannot contain the key", canonical)
	}
	return nil
}

func (c Config) validate() error {
	if err := ValidateBaseURL(c.BaseURL); err != nil {
		return err
	}
	if err := ValidateToken(c.Token); err != nil {
		return err
	}
	if err := ValidateAuthHeader(c.AuthHeader); err != nil {
		return err
	}
	if strings.ContainsFunc(c.UserAgent, unicode.IsControl) {
		return errors.New("the user agent contains a control character")
	}
	if c.MaxRetries < NoRetryLimit || c.RetryTimeout < 0 || c.RequestTimeout < 0 || c.MaxWait < 0 {
		return errors.New("retries, timeouts and longest wait must not be negative")
	}
	return nil
}
