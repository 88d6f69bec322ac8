package acctest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/copier"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// OpenCopy starts a sandbox that continues with a copy of the organization at s and the records of collections.
func (s *Service) OpenCopy(collections []string, options ...Option) (copied *Service, end func(), err error) {
	s.t.Helper()
	env := s.Sandbox.Env()
	var transport http.RoundTripper
	if s.Dial != nil {
		transport = s.Dial()
	}
	source, err := copier.Through(transport, func(name string) string { return env[name] }, nil, nil)
	if err != nil {
		return nil, nil, err
	}
	var document bytes.Buffer
	left, err := copier.Copy(s.t.Context(), source, copier.Options{Collections: collections}, &document)
	if err != nil || len(left) > 0 {
		return nil, nil, errors.Join(err, fmt.Errorf("omitted: %v", left))
	}
	copied, end = Open(s.t, append(options, func(o *sandbox.Options) {
		o.Start = time.Time{}
		o.Copy = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(document.Bytes())), nil }
	})...)
	return copied, end, nil
}
