package api

import (
	"net/http"
	"testing"
)

func TestOptional(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		response step
		id       string
		found    bool
		kind     outcome
	}{
		"an object": {response: ok(`{"data":{"id":"t1"}}`), id: "t1", found: true},
		"nothing":   {response: status(http.StatusNoContent)},
		"blanks":    {response: step{status: 200, body: " \n", header: map[string]string{"Content-Type": "text/plain"}}},
		"no object": {response: ok(`{"data":[1]}`), kind: isAmbiguous},
		"no JSON": {response: step{status: 200, body: "<html>", header: map[string]string{"Content-Type": "text/html"}},
			kind: isAmbiguous},
		"refused":    {response: refusal(422, `{"error":{"code":"x"}}`), kind: plainError},
		"lost":       {response: step{err: errReset}, kind: isAmbiguous},
		"bad object": {response: ok(`{"data":{"id":7}}`), kind: isAmbiguous},
	}
	for name, test := range tests {
		got, found, err := Optional[thing](t.Context(), newClient(t, play(test.response)), createCustomer)
		if got.ID != test.id || found != test.found || (err != nil) != (test.kind != "") {
			t.Errorf("%s: got %+v, %t, %v", name, got, found, err)
		}
		if err != nil && outcomeOf(err) != test.kind {
			t.Errorf("%s: error is %s, want %s", name, outcomeOf(err), test.kind)
		}
	}
}
