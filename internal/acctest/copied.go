package acctest

import (
	"bytes"
	"encoding/json"
	"io"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/copier"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// OpenCopy starts a sandbox that continues with a copy of the organization at s. change may change a subscription of
// the copy, for states that only a copy can have.
func (s *Service) OpenCopy(change func(subscription JSON), options ...Option) (copied *Service, end func()) {
	s.t.Helper()
	env := s.Sandbox.Env()
	source, err := copier.FromEnvironment(func(name string) string { return env[name] }, nil, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	var written bytes.Buffer
	if left, err := copier.Copy(s.t.Context(), source, copier.Options{}, &written); err != nil || len(left) > 0 {
		s.t.Fatalf("copy: %v, omitted: %v", err, left)
	}
	var document bytes.Buffer
	for line := range bytes.Lines(written.Bytes()) {
		document.Write(s.changedLine(line, change))
	}
	return Open(s.t, append(options, func(o *sandbox.Options) {
		o.Start = time.Time{}
		o.Copy = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(document.Bytes())), nil }
	})...)
}

// changedLine returns a line of a copy after a change of its subscription, if it has one.
func (s *Service) changedLine(line []byte, change func(subscription JSON)) []byte {
	s.t.Helper()
	var of orgcopy.Object
	if !bytes.Contains(line, []byte(`"kind":"`+evidence.Subscription+`"`)) {
		return line
	}
	if err := json.Unmarshal(line, &of); err != nil {
		s.t.Fatal(err)
	}
	var shown JSON
	if err := json.Unmarshal(of.Object, &shown); err != nil {
		s.t.Fatal(err)
	}
	change(shown)
	of.Object, _ = json.Marshal(shown)
	changed, _ := json.Marshal(of)
	return append(changed, '\n')
}
