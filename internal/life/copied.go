package life

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/copier"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// copied compares a plan against a copy of the organization with one against the organization itself.
func (j *judge) copied() *violation {
	j.counts.copies++
	defer j.net.hold()()
	if workspace, stands := j.drive.(*core.Workspace); stands { // an error may name the object that comes last
		defer func(turn func(string)) { workspace.Turn = turn }(workspace.Turn)
		workspace.Turn = nil
	}
	if now := j.service.Sandbox.Clock().Now(); j.net != nil { // both plans are in the same second, which messages show
		j.pass(now.Truncate(time.Second).Add(time.Second).Sub(now))
	}
	began := j.service.Sandbox.Clock().Now()
	original, _, bad := j.planned(j.configuration())
	if bad != nil {
		return bad
	}
	document, bad := j.copyOf()
	if bad != nil {
		return bad
	}
	copied, end := acctest.Open(j.t, func(o *sandbox.Options) {
		o.Start, o.MaxPerPage, o.NoListeners = time.Time{}, 0, j.net != nil
		o.Copy = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(document)), nil }
	})
	defer end()
	copied.Sandbox.Clock().Set(began)
	here := *j.here
	*j.here = *copied
	j.renewed()
	plan := j.drive.Plan(j.configuration())
	*j.here = here
	j.renewed()
	if want, have := described(original), described(plan); !slices.Equal(want, have) {
		return broken("plan of a copy", "against the organization:\n%s\nagainst its copy:\n%s", without(want, have),
			without(have, want))
	}
	return nil
}

// without returns the lines that are not among others.
func without(lines, others []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		return slices.Contains(others, line)
	}), "\n")
}

// copyOf returns a copy of the organization, with the collections of records that a state may contain.
func (j *judge) copyOf() ([]byte, *violation) {
	env := j.service.Sandbox.Env()
	var transport http.RoundTripper
	if j.net != nil {
		transport = j.net.dial()
	}
	source, err := copier.Through(transport, func(name string) string { return env[name] }, nil, nil)
	if err != nil {
		j.t.Fatal(err)
	}
	var out bytes.Buffer
	left, err := copier.Copy(j.t.Context(), source, copier.Options{Collections: collections}, &out)
	if err != nil || len(left) > 0 {
		return nil, broken("copy", "%v, omitted: %v", err, left)
	}
	return out.Bytes(), nil
}

// described lists the changes, errors and warnings of a plan, sorted: Terraform prints messages in any order.
func described(p *core.Plan) (lines []string) {
	for _, c := range p.Changes {
		lines = append(lines, fmt.Sprintf("%s %s, replaced for %v: %s → %s", c.Action, c.Address, c.Replaces, show(c.Before),
			show(c.After)))
	}
	return slices.Sorted(slices.Values(slices.Concat(lines, p.Errors, p.Warnings)))
}
