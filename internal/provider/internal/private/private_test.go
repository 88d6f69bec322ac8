package private

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// refusing is a private state that cannot be used.
type refusing struct{}

func (refusing) GetKey(context.Context, string) ([]byte, diag.Diagnostics) {
	return nil, diag.Diagnostics{diag.NewErrorDiagnostic("no state", "")}
}

func (refusing) SetKey(context.Context, string, []byte) diag.Diagnostics {
	return diag.Diagnostics{diag.NewErrorDiagnostic("no state", "")}
}

type note struct {
	Names []string `json:"names"`
	Count int      `json:"count"`
}

// TestPrivate: what was noted is read again, under its own key; what was not is the zero value.
func TestPrivate(t *testing.T) {
	t.Parallel()
	store, want := Map{}, note{Names: []string{"a"}, Count: 1}
	var diags diag.Diagnostics
	Set(t.Context(), store, "one", want, &diags)
	if have := Get[note](t.Context(), store, "one", &diags); !reflect.DeepEqual(have, want) {
		t.Errorf("read %+v", have)
	}
	if have := Get[note](t.Context(), store, "other", &diags); !reflect.DeepEqual(have, note{}) {
		t.Errorf("read %+v where nothing was noted", have)
	}
	if len(diags) != 0 {
		t.Error(diags)
	}
}

// TestPrivate_errors: nothing is lost in silence.
func TestPrivate_errors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(diags *diag.Diagnostics)
		says string
	}{
		"unreadable": {func(d *diag.Diagnostics) { Get[note](t.Context(), Map{"one": []byte(`["a"]`)}, "one", d) },
			`"one"`},
		"no reading":   {func(d *diag.Diagnostics) { Get[note](t.Context(), refusing{}, "one", d) }, "no state"},
		"no writing":   {func(d *diag.Diagnostics) { Set(t.Context(), refusing{}, "one", note{}, d) }, "no state"},
		"not writable": {func(d *diag.Diagnostics) { Set(t.Context(), Map{}, "one", func() {}, d) }, "unsupported type"},
	} {
		var diags diag.Diagnostics
		c.do(&diags)
		if len(diags) != 1 || !diags.HasError() || !strings.Contains(diags[0].Summary()+diags[0].Detail(), c.says) {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

// FuzzPrivate: private state that was damaged is an error that says what to do, or a value; it breaks nothing.
func FuzzPrivate(f *testing.F) {
	for _, seed := range []string{"", "null", `{"a":1}`, `{"a":"b"}`, "[", "\xff", "1e999", `"x"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var diags diag.Diagnostics
		value := Get[map[string]string](t.Context(), damaged(raw), "key", &diags)
		if diags.HasError() && !strings.Contains(diags[0].Detail(), "import it again") {
			t.Errorf("%q: %v, %v", raw, value, diags)
		}
	})
}

// damaged is a private state with one value under every key.
type damaged []byte

func (d damaged) GetKey(context.Context, string) ([]byte, diag.Diagnostics) { return d, nil }

func (damaged) SetKey(context.Context, string, []byte) diag.Diagnostics { return nil }
