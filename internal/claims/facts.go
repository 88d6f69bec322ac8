package claims

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// Facts reads facts from a txtar archive: statements about the services that no law gives. The name of each file has
// the numbers of the fact, and any words. A fact begins with its head:
//
//	The statement, as a full sentence.
//	source: the section of a description; wire contract: the operation
//	otherwise: what users notice if it does not hold (without it, that of the fact before)
//	rests: numbers of claims without which it cannot hold
//	costs: what it costs (without it, nothing)
//	each: $code 200 201 (plays the steps for each of these values)
//
// After an empty line come its steps, one on each line:
//
//	s: subscription {"notes": "x"}   creates an object of a kind, with what it needs, and calls it s
//	c: customer full {"kind": null}   creates one with every other argument as well
//	r: POST $s/pause {"behavior": "void"}   sends a request, and calls the data of the response r (which may be left out)
//	200 data.status=paused data.paused_at~time   the status of the last response, and what it has to hold
//	v: take header.Date   calls a part of the last response v
//	kept s but status paused_at   its data is that of s, but for these members
//	hidden $k.token   this text is nowhere in it; redacted Authorization: this header, if it is there, is
//	items [{"price_id": "$price0"}]   its data are these items of a subscription, in any order
//	listed /api/v1/api-keys $k.id data.name=$k.name   the object in a list has to hold this
//	advance 48h   moves the clock; advance $s.created_at $s.current_period_end+1h: by the time between the two
//	hook h 503   a receiver of webhooks with the address $h, which responds with this status from now on
//	sent h 1 header.X-Webhook-Attempt="1"   waits for its first request; sent h api_key.revoked $k.id: for this event
//	signed h 1 $e.secret, unsigned h 1 $e.secret
//	silent h   nothing has arrived; silent h api_key.rotated $k.id: nothing of this event; silent h 2: less than two
//	delivered $e $t.deliveryId failed data.attempts=1   waits until the delivery of an endpoint has this status
//	recorded h 1   the requestBody of that delivery is the one that has arrived
//
// What a response has to hold is path=value (in JSON, or a text; nothing for null, empty or missing), path!=value,
// path~form, path@time, path@~time (to the minute), or !path (no such member). The path is one of the body, of the
// header after "header.", or raw. A request may have headers (X-Idempotency-Key=$uuid) before its body, and "as" with a
// token before its method. $s is the path of an object, or in JSON the object, $s.id a member; $word and $uuid are new
// in each fact, as are $word2 and so on; $plan1, $product0 and $price0 are the target's; $nobody is an unknown id. A
// time may have days, hours and an offset added: $s.created_at+14d@-03:00. ${days} separates a name from what follows.
func Facts(archive []byte) (all []Claim, err error) {
	otherwise := ""
	for _, file := range txtar.Parse(archive).Files {
		head, steps, _ := strings.Cut(string(file.Data), "\n\n")
		f := fact{each: []string{""}}
		c := Claim{}
		for word := range strings.FieldsSeq(file.Name) {
			if n, err := strconv.Atoi(word); err == nil {
				c.Also = append(c.Also, n)
			}
		}
		if len(c.Also) > 0 {
			c.Number, c.Also = c.Also[0], c.Also[1:]
		}
		for step := range strings.SplitSeq(strings.TrimSpace(steps), "\n") {
			f.steps = append(f.steps, tokens(step))
		}
		statement, fields, _ := strings.Cut(head, "\n")
		if c.Text, c.Otherwise = statement, otherwise; !strings.HasSuffix(statement, ".") {
			return nil, fmt.Errorf("%s: %q is no sentence", file.Name, statement)
		}
		for line := range strings.Lines(fields) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			if err := f.field(&c, name, value); err != nil {
				return nil, fmt.Errorf("%s: %w", file.Name, err)
			}
		}
		otherwise = c.Otherwise
		f.describe(&c)
		c.Check = inSteps(c.Service, c.Source, f.play)
		if c.ReadsOnly {
			c.read = c.Check
		}
		all = append(all, c)
	}
	return all, nil
}

// fact is the steps of a fact, played for each value of a variable.
type fact struct {
	variable string
	each     []string
	steps    [][]string
}

// field sets what a line of the head says.
func (f *fact) field(c *Claim, name, value string) error {
	switch name {
	case "source":
		c.Source = value
	case "otherwise":
		c.Otherwise = value
	case "costs":
		c.Costs = value
	case "each":
		words := tokens(value)
		f.variable, f.each = strings.TrimPrefix(words[0], "$"), words[1:]
	case "rests":
		for number := range strings.FieldsSeq(value) {
			n, err := strconv.Atoi(number)
			if err != nil {
				return err
			}
			c.RestsOn = append(c.RestsOn, n)
		}
	default:
		return fmt.Errorf("the head has no %q", name)
	}
	return nil
}

// describe finds the service of a fact, and the effects of its steps.
func (f *fact) describe(c *Claim) {
	source := strings.ToLower(c.Source)
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(source, part) })
	}
	switch c.ReadsOnly, c.Service = true, Billing; {
	case has("financial", "finance."):
		c.Service = Finance
	case has("collections §", "webhook_", "api_keys."):
		c.Service = Collections
	}
	for _, words := range f.steps {
		_, words = named(words)
		k := creatable[words[0]]
		if k != nil {
			c.ReadsOnly, c.Leaves = false, cmp.Or(c.Leaves, k.effect.Leaves)
		}
		at := slices.IndexFunc(words, func(word string) bool { return word != http.MethodGet && methods[word] })
		if at >= 0 {
			c.ReadsOnly = false
		}
		switch posts := at >= 0 && words[at] == http.MethodPost; {
		case posts && (strings.HasSuffix(words[at+1], "/rotate") || words[at+1] == keysPath):
			c.Leaves = apiKeys.effect.Leaves
		case posts && strings.HasSuffix(words[at+1], "/invoices"):
			c.Leaves, c.Costs = invoices.effect.Leaves, invoices.effect.Costs
		}
		c.MovesClock = c.MovesClock || words[0] == "advance"
	}
}

// creatable are the kinds that a step can create.
var creatable = map[string]*kind{"customer": customers, "account": billingAccounts, "subscription": subscriptions,
	"endpoint": endpoints, "key": apiKeys}

var methods = map[string]bool{http.MethodGet: true, http.MethodPost: true, http.MethodPatch: true, http.MethodPut: true,
	http.MethodDelete: true}

// named splits the name of what a step creates from the rest.
func named(words []string) (name string, rest []string) {
	if name, is := strings.CutSuffix(words[0], ":"); is && len(words) > 1 {
		return name, words[1:]
	}
	return "", words
}

// tokens splits a step at spaces outside of quotes and brackets.
func tokens(step string) (all []string) {
	depth, quoted, start := 0, false, 0
	for i, r := range step {
		switch {
		case r == '"' && (i == 0 || step[i-1] != '\\'):
			quoted = !quoted
		case quoted:
		case strings.ContainsRune("{[", r):
			depth++
		case strings.ContainsRune("}]", r):
			depth--
		case r == ' ' && depth == 0:
			all, start = append(all, step[start:i]), i+1
		}
	}
	return slices.DeleteFunc(append(all, step[start:]), func(word string) bool { return word == "" })
}
