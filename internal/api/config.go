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
	// NoRetryLimit is the MaxRetries that leaves the number of attempts to time.
	NoRetryLimit = -1

	defaultRequestTimeout = 30 * time.Second
	defaultRetryTimeout   = 5 * time.Minute
	defaultMaxWait        = 20 * time.Minute
)

// Config describes the client of one service.
type Config struct {
	Service string   // "billing", "finance", "collections": named in errors and logs
	BaseURL string   // https://host[:port][/prefix]
	Token   string   // never logged, never part of an error
	Secrets []string // like Token: those of other services, which a response of this one may repeat
	Origin  any      // what the caller knows of this configuration; each error carries it
	// "" or "Authorization": "Bearer <token>"; any other header carries the bare token
	AuthHeader string
	UserAgent  string         // "": Go's own
	RootCAs    *x509.CertPool // nil: the system's
	// attempts after the first one, for 5xx, 408 and transport errors only; see NoRetryLimit
	MaxRetries int
	// how long such attempts continue, from the first failure on; 0 means 5 min, and 20 s until the service has responded
	RetryTimeout   time.Duration
	RequestTimeout time.Duration     // per attempt; 0 means 30 s
	MaxWait        time.Duration     // longest that one call waits for a gate closed by 429; 0 means 20 min
	Gate           *Gate             // nil: its own gate without a client-side limit
	Operations     Operations        // zero value: the defaults
	Observer       Observer          // nil: none
	BulkRefresh    bool              // Refreshed may read lists instead of single objects
	Transport      http.RoundTripper // for tests; nil: the real one
}

// ValidateBaseURL accepts an absolute https address of a host, with a port and
// a path prefix if need be, and nothing else: services serve no plain http, and
// credentials or a query in an address would end up in logs. The error says
// what to write instead and never repeats user information.
func ValidateBaseURL(raw string) error {
	_, err := parseBaseURL(raw)
	return err
}

func parseBaseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		// The parser's error repeats its input, which may hold a password.
		return nil, errors.New("the address cannot be parsed; write https://host, with :port and /prefix if need be")
	}
	if strings.ContainsFunc(raw, unicode.IsSpace) {
		return nil, errors.New("the address must hold no blanks")
	}
	switch {
	case u.Scheme != "https":
		return nil, errors.New("the address must start with https:// (the services serve nothing else)")
	case u.Opaque != "" || u.Hostname() == "":
		return nil, errors.New("the address names no host; write https://host")
	case u.User != nil:
		return nil, errors.New("the address must contain no user name or password; the token has its own argument")
	case u.RawQuery != "" || u.ForceQuery:
		return nil, errors.New("the address must carry no query (?)")
	case strings.Contains(raw, "#"):
		return nil, errors.New("the address must carry no fragment (#)")
	}
	if err := checkPort(u.Port()); err != nil {
		return nil, err
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		if segment == "." || segment == ".." {
			return nil, fmt.Errorf("the address must hold no %q segment", segment)
		}
	}
	return u, nil
}

// checkPort checks the port of an address; "" is none.
func checkPort(port string) error {
	if port == "" {
		return nil
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return errors.New("the port of the address must be a number from 1 to 65535")
	}
	return nil
}

// ValidateToken rejects a token that no header can carry: an empty one, or one
// with blanks, line breaks, control characters or characters beyond ASCII. The
// error never contains the token.
func ValidateToken(token string) error {
	if token == "" {
		return errors.New("the token is empty")
	}
	for i := range len(token) {
		switch c := token[i]; {
		case c == '\n' || c == '\r':
			return errors.New("the token contains a line break; it was probably read from a file together with the end of its " +
				"line. Remove it, for example with trimspace(file(…))")
		case c == ' ' || c == '\t':
			return errors.New("the token contains a blank")
		case c < ' ' || c >= 0x7f:
			return errors.New("the token contains a character that no header can carry (a control character or one beyond " +
				"ASCII)")
		}
	}
	return nil
}

// ValidateAuthHeader accepts "" (the default) and the name of a header that may
// carry the token: a valid header name, and none that the protocol or this
// client sets itself.
func ValidateAuthHeader(name string) error {
	if name == "" {
		return nil
	}
	const symbols = "!#$%&'*+-.^_`|~"
	for _, c := range name {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && !strings.ContainsRune(symbols, c) {
			return fmt.Errorf("%q is not a header name; write one like X-Api-Key", name)
		}
	}
	switch canonical := http.CanonicalHeaderKey(name); canonical {
	case "Accept", "Accept-Encoding", "Connection", "Content-Length", "Content-Type", "Host", "If-Modified-Since",
		"If-None-Match", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent", idempotencyHeader:
		return fmt.Errorf("the header %s has another meaning and cannot carry the key", canonical)
	}
	return nil
}

// validate checks what New cannot default.
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
