package bend_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
)

func TestParse(t *testing.T) {
	t.Parallel()
	rules, err := bend.Parse(bend.Tolerances, "bare-objects,,null-lists")
	if err != nil || len(rules) != 2 {
		t.Errorf("%d rules, %v", len(rules), err)
	}
	if _, err := bend.Parse(bend.Rewords, "bare-objects"); err == nil ||
		!strings.Contains(err.Error(), "use collapse, crlf") {
		t.Errorf("the error does not name the known ones: %v", err)
	}
}

// A rule changes its operations and its part of an exchange, and nothing else.
func TestApply(t *testing.T) {
	t.Parallel()
	note := func(text string) func(*bend.Exchange) {
		return func(x *bend.Exchange) { x.Header.Add("X", text) }
	}
	x := &bend.Exchange{Operation: "customers.list", Header: http.Header{}}
	bend.Apply([]bend.Rule{{"*.list", bend.Request, note("a")}, {"customers.*", bend.Response, note("b")},
		{"*.get", bend.Request, note("c")}, {"", bend.Request, note("d")}}, bend.Request, x)
	if got := strings.Join(x.Header.Values("X"), " "); got != "a d" {
		t.Errorf("applied %s", got)
	}
}
