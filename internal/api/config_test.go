package api

import (
	"strings"
	"testing"
	"time"
)

func TestValidateBaseURL(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"https://api.example.test", "https://api.example.test/", "https://api.example.test:8443/prefix",
		"https://127.0.0.1:1", "https://[::1]:443/a/b/",
	} {
		if err := ValidateBaseURL(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for bad, want := range map[string]string{
		"":                           "https://",
		"api.example.test":           "https://",
		"http://api.example.test":    "https://",
		"HTTPS:api.example.test":     "host",
		"https://":                   "host",
		"https://:8443":              "host",
		"https:///v1":                "host",
		"https://user:hunter2@host":  "user name",
		"https://user:hunter2@ho st": "parsed",
		"https://hunter2@host":       "user name",
		"https://host?x=1":           "query",
		"https://host?":              "query",
		"https://host/#top":          "fragment",
		"https://host/a#":            "fragment",
		"https://host/a/../b":        `".."`,
		"https://host/%2e%2e/b":      `".."`,
		"https://host:0":             "port",
		"https://host:65536":         "port",
		"https://host:x":             "parsed",
		"https://host/a b":           "spaces",
		"https://host\n":             "parsed",
	} {
		err := ValidateBaseURL(bad)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want something about %s", bad, err, want)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: the error repeats the password", bad)
		}
	}
}

func TestValidateToken(t *testing.T) {
	t.Parallel()
	if err := ValidateToken("eyJhbGciOi.abc-_~+/=.x"); err != nil {
		t.Error(err)
	}
	for bad, want := range map[string]string{
		"":            "empty",
		"secret1\n":   "line break",
		"secret1\r":   "line break",
		"sec ret1":    "space",
		"sec\tret1":   "space",
		"secret1\x00": "character",
		"secret1\x7f": "character",
		"secret1ü":    "character",
	} {
		err := ValidateToken(bad)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want something about %s", bad, err, want)
		} else if strings.Contains(err.Error(), "ret1") {
			t.Errorf("%q: the error repeats the token", bad)
		}
	}
}

func TestValidateAuthHeader(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"", "Authorization", "X-Api-Key", "api_key"} {
		if err := ValidateAuthHeader(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"X Api", "X:Y", "Ä", "x\n", "content-type", "Host", "If-None-Match",
		"x-idempotency-key"} {
		if err := ValidateAuthHeader(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Config){
		"address":    func(c *Config) { c.BaseURL = "http://host" },
		"token":      func(c *Config) { c.Token = "a\nb" },
		"header":     func(c *Config) { c.AuthHeader = "a b" },
		"user agent": func(c *Config) { c.UserAgent = "a\nb" },
		"retries":    func(c *Config) { c.MaxRetries = -2 },
		"retry time": func(c *Config) { c.RetryTimeout = -time.Second },
		"timeout":    func(c *Config) { c.RequestTimeout = -time.Second },
		"wait":       func(c *Config) { c.MaxWait = -time.Second },
	} {
		cfg := Config{Service: "finance", BaseURL: "https://host", Token: "t"}
		change(&cfg)
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), "finance") {
			t.Errorf("%s: %v", name, err)
		}
	}
	c, err := New(Config{BaseURL: "https://host", Token: "t"})
	if err != nil || c.cfg.RequestTimeout != 30*time.Second || c.cfg.MaxWait != 20*time.Minute || c.transport == nil {
		t.Errorf("%+v, %v", c, err)
	}
}
