package api

import (
	"net/http"
	"testing"
)

func TestOptional(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answer   step
		id       string
		answered bool
		kind     outcome
	}{
		"an object": {answer: ok(`{"data":{"id":"t1"}}`), id: "t1", answered: true},
		"nothing":   {answer: status(http.StatusNoContent)},
		"blanks":    {answer: step{status: 200, body: " \n", header: map[string]string{"Content-Type": "text/plain"}}},
		"no object": {answer: ok(`{"data":[1]}`), kind: isAmbiguous},
		"no JSON": {answer: step{status: 200, body: "<html>", header: map[string]string{"Content-Type": "text/html"}},
			kind: isAmbiguous},
		"refused":    {answer: refusal(422, `{"error":{"code":"x"}}`), kind: plainError},
		"lost":       {answer: step{err: errReset}, kind: isAmbiguous},
		"bad object": {answer: ok(`{"data":{"id":7}}`), kind: isAmbiguous},
	}
	for name, test := range tests {
		got, answered, err := Optional[thing](t.Context(), newClient(t, play(test.answer)), createCustomer)
		if got.ID != test.id || answered != test.answered || (err != nil) != (test.kind != "") {
			t.Errorf("%s: got %+v, %t, %v", name, got, answered, err)
		}
		if err != nil && outcomeOf(err) != test.kind {
			t.Errorf("%s: error is %s, want %s", name, outcomeOf(err), test.kind)
		}
	}
}
