package life

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// copied compares a plan against a copy of the organization with one against the organization itself.
func (j *judge) copied() *violation {
	j.counts["copies"]++
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
	copied, end, err := j.service.OpenCopy(collections, func(o *sandbox.Options) {
		o.MaxPerPage, o.NoListeners = 0, j.net != nil
	})
	if err != nil {
		return broken("copy", "%v", err)
	}
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

// described lists the changes, errors and warnings of a plan, sorted: Terraform prints messages in any order.
func described(p *core.Plan) (lines []string) {
	for _, c := range p.Changes {
		lines = append(lines, fmt.Sprintf("%s %s, replaced for %v: %s → %s", c.Action, c.Address, c.Replaces, show(c.Before),
			show(c.After)))
	}
	return slices.Sorted(slices.Values(slices.Concat(lines, p.Errors, p.Warnings)))
}
