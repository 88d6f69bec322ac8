package sandbox

import (
	"net/http"
	"strings"
	"time"
)

const faultPage = "<!DOCTYPE html>\n<html><head><title>Gateway</title></head>" +
	"<body><h1>The gateway could not serve this request</h1></body></html>\n"

// faultAnswer is what a request gets that meets an answering fault.
func (s *Server) faultAnswer(f Fault) answer {
	a := answer{status: f.Status, header: http.Header{}}
	if a.status == 0 {
		a.status = http.StatusOK
	}
	switch {
	case f.Empty:
	case f.HTML:
		a.header.Set("Content-Type", "text/html; charset=utf-8")
		a.body = []byte(faultPage)
	case f.Body != "":
		a.header.Set("Content-Type", "application/json")
		a.body = []byte(f.Body)
	default:
		a = s.failure(faultError(f))
	}
	if value := retryAfter(f.RetryAfter); value != "" {
		a.header.Set("Retry-After", value)
	}
	return a
}

func faultError(f Fault) *apiError {
	code := f.Code
	if code == "" {
		code = faultCodes[f.Status]
	}
	if code == "" {
		code = "fault"
	}
	return &apiError{status: f.Status, code: code, message: "A fault of the sandbox answers this request."}
}

// retryAfter writes "date:30s" as the HTTP date 30 seconds from now, by the
// real clock, which is the one the client waits by.
func retryAfter(value string) string {
	ahead, dated := strings.CutPrefix(value, "date:")
	if !dated {
		return value
	}
	d, err := time.ParseDuration(ahead)
	if err != nil {
		return value
	}
	return time.Now().Add(d).UTC().Format(http.TimeFormat)
}
