package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/mattn/go-shellwords"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// exitWrongHandler is the exit code if the handler fails a check.
const exitWrongHandler = 3

// tolerance is the difference between the time of a signature and now that a handler should accept (service
// description, Collections §5).
const tolerance = 300 * time.Second

// hooked is an attempt to deliver an event. Its signature is that of signed, or of the body if that is nil.
type hooked struct {
	sandbox.Message
	signed             []byte
	forged, isUnsigned bool // the last digit of the signature is another, or it is missing
}

// drillCheck is one way in which deliveries arrive, and its result.
type drillCheck struct {
	Name     string `json:"check"`
	Result   string `json:"result"` // ok, failed or not judged
	Did      string `json:"did"`
	Expected string `json:"expected"`
	Got      string `json:"got"`
	Why      string `json:"why"`
	Source   string `json:"source"` // the section of the service description with the rule

	rejects bool // 401 is right, otherwise 2xx
	effects int  // how often the work must be done; anyEffects: not judged
	repeats bool // it is about effects, so that statuses alone say nothing
	send    func(e hooked) []hooked
}

const anyEffects, atOnce, unknownEvent = -1, "at-once", "drill.no_such_event"

var drillChecks = []drillCheck{
	{Name: "right", effects: 1, Did: "sent charge.paid", Why: "Anything else is a failure, and is sent again.",
		Source: "§3 and §8", send: one(func(*hooked) {})},
	{Name: "raw-body", effects: 1, Did: "sent a body that no JSON library writes this way", Why: "The signature is that of " +
		"the bytes: verify it before you parse them.", Source: "§5, 5", send: one(func(e *hooked) {
		e.replace(`"amount":150`, ` "amount" : 150.00, "name":"S\u00e3o Jo\u00e3o\/SP"`)
	})},
	{Name: "wrong-signature", rejects: true, Did: "changed one digit of the signature", Why: forgeable, Source: "§5, 4",
		send: one(func(e *hooked) { e.forged = true })},
	{Name: "no-signature", rejects: true, Did: "left the signature out", Why: forgeable, Source: "§5, 4",
		send: one(func(e *hooked) { e.isUnsigned = true })},
	{Name: "other-secret", rejects: true, Did: "signed with a secret that is not that of the handler", Why: "After a " +
		"rotation, the old secret is invalid immediately, and others may know it.", Source: "§4",
		send: one(func(e *hooked) { e.Secret = uuid.NewString() })},
	{Name: "old", rejects: true, Did: "signed 10 minutes ago", Why: "Otherwise whoever has one delivery can send it again at " +
		"any time.", Source: "§5, 4", send: one(func(e *hooked) { e.At = e.At.Add(-2 * tolerance) })},
	{Name: "future", rejects: true, Did: "signed in 10 minutes", Why: "The difference counts in both directions.",
		Source: "§5, 4", send: one(func(e *hooked) { e.At = e.At.Add(2 * tolerance) })},
	{Name: "re-serialized", rejects: true, Did: "sent other white space than was signed, three times", Why: "A handler that " +
		"verifies what a JSON library writes accepts changed bodies, and rejects right ones.", Source: "§5, 5",
		send: reserialized},
	{Name: "truncated", rejects: true, Did: "sent half of the body that was signed", Why: "A proxy or a limit may have cut it.",
		Source: "§5, 4", send: one(func(e *hooked) { e.signed, e.Body = e.Body, e.Body[:len(e.Body)/2] })},
	{Name: "twice", effects: 1, repeats: true, Did: "sent one event again, as another delivery", Why: again, Source: "§5, 6",
		send: func(e hooked) []hooked {
			other := e
			other.DeliveryID = uuid.NewString()
			return []hooked{e, other}
		}},
	{Name: atOnce, effects: 1, repeats: true, Did: "sent one event eight times at once", Why: again, Source: "§5, 6",
		send: func(e hooked) []hooked { return slices.Repeat([]hooked{e}, sandbox.MaxAttempts) }},
	{Name: "attempts", effects: 1, repeats: true, Did: "sent the eight attempts of one delivery", Why: "Each is signed " +
		"again: only the event's id is the same.", Source: "§5, 2 and 6", send: func(e hooked) (all []hooked) {
		for ; e.Number <= sandbox.MaxAttempts; e.Number++ {
			e.At = e.At.Add(time.Second)
			all = append(all, e)
		}
		return all
	}},
	{Name: "late", effects: anyEffects, Did: "sent an event that is an hour older than the one before it", Why: "The service " +
		"repeats for hours, so events overtake each other; a rejected one comes again.", Source: "§8",
		send: func(e hooked) []hooked { return []hooked{e, another(e, e.At.Add(-time.Hour))} }},
	{Name: "redelivery", effects: 1, Did: "sent an event of yesterday, signed now", Why: "Judge the age by the t of the " +
		"signature, not by timestamp: only t is new when an event is sent again.", Source: "§5, 2",
		send: func(e hooked) []hooked { return []hooked{another(e, e.At.AddDate(0, 0, -1))} }},
	{Name: "unknown", Did: "sent an event with a name that does not exist", Why: "New events appear without notice.",
		Source: "§6", send: one(func(e *hooked) { e.replace(e.Event, unknownEvent); e.Event = unknownEvent })},
	{Name: "large", effects: 1, Did: "sent a body of 256 KB", Why: "Many frameworks accept 100 KB only.",
		Source: "no sentence says how long a body is", send: one(func(e *hooked) {
			e.replace(`"amount"`, `"note":"`+strings.Repeat("x", 256<<10)+`","amount"`)
		})},
}

const forgeable, again = "Otherwise anybody who knows the address can send events.", "Delivery is at least once: a " +
	"unique index on X-Webhook-Event-Id, written in the transaction of the work, decides."

func one(change func(e *hooked)) func(hooked) []hooked {
	return func(e hooked) []hooked {
		change(&e)
		return []hooked{e}
	}
}

func (e *hooked) replace(old, by string) { e.Body = bytes.Replace(e.Body, []byte(old), []byte(by), 1) }

// another is another event of that time.
func another(e hooked, at time.Time) hooked {
	e.EventID, e.DeliveryID, e.Number = uuid.NewString(), uuid.NewString(), 1
	e.Body = fmt.Appendf(nil, `{"event":"charge.paid","timestamp":"%s","organizationId":"%s","data":{"id":"%s",`+
		`"status":"paid","amount":150}}`, at.UTC().Format("2006-01-02T15:04:05.000Z"), uuid.Nil, uuid.NewString())
	return e
}

// reserialized signs the body as JavaScript, Python and Go write it, and sends it with other white space.
func reserialized(e hooked) (all []hooked) {
	var sorted map[string]json.RawMessage
	_ = json.Unmarshal(e.Body, &sorted)
	inGo, _ := json.Marshal(sorted)
	inPython := strings.NewReplacer(`":`, `": `, `,"`, `, "`).Replace(string(e.Body))
	for _, e.signed = range [][]byte{e.Body, []byte(inPython), inGo} {
		var spaced bytes.Buffer
		_ = json.Indent(&spaced, e.signed, "", "  ")
		e.Body = spaced.Bytes()
		all = append(all, e)
	}
	return all
}

const notJudged = "not judged"

func (c drillCheck) String() string {
	return fmt.Sprintf("%-10s  %s: %s; expected %s, got %s. %s (%s)", c.Result, c.Name, c.Did, c.Expected,
		c.Got, c.Why, strings.Replace(c.Source, "§", "Collections §", 1))
}

// drill sends deliveries to a webhook handler and judges what it does.
type drill struct {
	url, secret string
	limit       time.Duration                      // of a response, and of the wait for an effect
	effects     func(context.Context) (int, error) // counts them; nil: they are not judged
	before      int                                // effects before the check
}

// run makes all checks. It ends with an error if nothing responds, and judges nothing after a right delivery is not
// accepted.
func (d *drill) run(ctx context.Context, note func(drillCheck)) (err error) {
	if d.effects != nil {
		if d.before, err = d.effects(ctx); err != nil {
			return err
		}
	}
	isRight := true
	for i, c := range drillChecks {
		c.Result, c.Got, c.Expected = notJudged, "nothing, because it accepts no right delivery", "2xx within 10 s"
		if c.rejects {
			c.Expected = "401 without the right signature in the response"
		}
		if d.effects != nil && c.effects != anyEffects || c.repeats {
			c.Expected += fmt.Sprintf(" and effects: %d", c.effects)
		}
		if isRight {
			if err := d.judge(ctx, &c); err != nil {
				return err
			}
			isRight = i > 0 || c.Result == "ok"
		}
		note(c)
	}
	return nil
}

// judge makes one check.
func (d *drill) judge(ctx context.Context, c *drillCheck) error {
	now := time.Now()
	first := hooked{Message: sandbox.Message{URL: d.url, Event: "charge.paid", Secret: d.secret, At: now}}
	events := c.send(another(first, now))
	got := make([]string, len(events))
	var all sync.WaitGroup
	for i, e := range events {
		all.Go(func() { got[i] = d.send(ctx, e) })
		if c.Name != atOnce {
			all.Wait()
		}
	}
	all.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if c.Name == "right" && strings.HasPrefix(got[0], noConnection) {
		return fmt.Errorf("%s: %s", d.url, got[0])
	}
	isWrong := c.isWrong(got)
	c.Got, c.Result = strings.Join(slices.Compact(got), ", "), "ok"
	if d.effects != nil {
		expected := c.effects
		if isWrong {
			expected = 0 // nothing is waited for
		}
		made, err := d.made(ctx, expected)
		if err != nil {
			return err
		}
		c.Got += fmt.Sprintf(" and effects: %d", made)
		isWrong = isWrong || c.effects != anyEffects && made != c.effects
	}
	switch {
	case isWrong:
		c.Result = "failed"
	case c.repeats && d.effects == nil:
		c.Result = notJudged
		c.Got += "; --effect judges it"
	}
	return nil
}

func (c *drillCheck) isWrong(got []string) bool {
	if c.Name == atOnce { // a handler may reject one while it works on the other: the service sends it again
		return !slices.ContainsFunc(got, success.MatchString)
	}
	return slices.ContainsFunc(got, func(status string) bool {
		return c.rejects && status != "401" || !c.rejects && !success.MatchString(status)
	})
}

const noConnection = "no connection"

var success = regexp.MustCompile(`^2\d\d$`)

// signature is the value of the header with the signature.
func (e *hooked) signature() string {
	body := e.Body
	if e.signed != nil {
		body = e.signed
	}
	signature := sandbox.Signature(e.Secret, e.At, body)
	if !e.forged {
		return signature
	}
	other := "0"
	if strings.HasSuffix(signature, other) {
		other = "1"
	}
	return signature[:len(signature)-1] + other
}

// digits returns the HMAC of a signature.
func digits(signature string) string {
	_, v1, _ := strings.Cut(signature, ",v1=")
	return v1
}

// send sends a delivery, and returns the status of the response, or what is wrong with it.
func (d *drill) send(ctx context.Context, e hooked) string {
	limited, cancel := context.WithTimeout(ctx, d.limit)
	defer cancel()
	request, err := e.Request(limited)
	if err != nil {
		return err.Error()
	}
	if user := request.URL.User; user != nil {
		password, _ := user.Password()
		request.SetBasicAuth(user.Username(), password)
	}
	if e.isUnsigned {
		request.Header.Del(sandbox.SignatureHeader)
	} else {
		request.Header.Set(sandbox.SignatureHeader, e.signature())
	}
	transport := &http.Transport{DisableKeepAlives: true} // as the service sends: without proxy, cookies and redirects
	response, err := transport.RoundTrip(request)
	var content bytes.Buffer
	if err == nil {
		defer response.Body.Close()
		_ = response.Header.Write(&content)
		_, err = content.ReadFrom(io.LimitReader(response.Body, 1<<20))
	}
	var dial *net.OpError
	right := digits(sandbox.Signature(d.secret, e.At, e.Body))
	switch {
	case errors.As(err, &dial) && dial.Op == "dial":
		return noConnection + ": " + dial.Err.Error()
	case err != nil && limited.Err() != nil:
		return "no response within " + d.limit.String()
	case err != nil:
		return err.Error()
	case response.StatusCode >= http.StatusBadRequest && strings.Contains(content.String(), right):
		return fmt.Sprintf("%d with the right signature", response.StatusCode)
	}
	return strconv.Itoa(response.StatusCode)
}

// made returns the number of new effects. A handler may work after its response, so it waits for those that are
// expected, and a little for those that are not.
func (d *drill) made(ctx context.Context, expected int) (int, error) {
	for began := time.Now(); ; {
		pause(ctx, d.limit/50)
		now, err := d.effects(ctx)
		if made := now - d.before; err != nil || made >= expected || time.Since(began) > d.limit {
			d.before = now
			return made, err
		}
	}
}

// printed runs a command that prints a number.
func printed(ctx context.Context, command []string) (int, error) {
	out, err := exec.CommandContext(ctx, command[0], command[1:]...).Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(failed.Stderr))
	}
	if err != nil {
		return 0, fmt.Errorf("--effect: %w", err)
	}
	number, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		return 0, fmt.Errorf("--effect must print a whole number, not %q", out)
	}
	return number, nil
}

// junit formats results as JUnit XML.
func junit(results []drillCheck, failed, skipped int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s<testsuite name=\"drill\" tests=\"%d\" failures=\"%d\" skipped=\"%d\">\n", xml.Header,
		len(results), failed, skipped)
	for _, r := range results {
		fmt.Fprintf(&text, "  <testcase classname=\"drill\" name=\"%s\">", r.Name)
		if element := map[string]string{"failed": "failure", notJudged: "skipped"}[r.Result]; element != "" {
			fmt.Fprintf(&text, "<%s message=\"", element)
			_ = xml.EscapeText(&text, []byte(r.String()))
			text.WriteString("\"/>")
		}
		text.WriteString("</testcase>\n")
	}
	return text.String() + "</testsuite>\n"
}

func (p program) drill() command {
	var inJSON bool
	var file string
	secretEnv, effect := "WEBHOOK_SECRET", ""
	return command{
		name: "drill", summary: "find out whether a webhook handler is right", alone: true,
		about: `Sends deliveries to a webhook handler as the service does: right ones, forged ones, one event several times,
old ones, late ones, large ones. Each line says what was sent, what is expected, what came, and why that matters, with
the section of the service description that says so. Use a test environment: a right delivery is charge.paid with a
charge that does not exist.

--effect is a command that prints how often the handler has done its work, such as the number of payments. It runs
before and after each check, without a shell. Without it, the checks that are about effects are not judged.

The exit code is 3 if the handler fails a check, and 1 if there is no connection to the address.
`,
		examples: `{sandbox} drill http://localhost:3000/hooks
{sandbox} drill http://localhost:3000/hooks --effect 'psql -tAc "select count(*) from payments"' --junit drill.xml
`,
		actions: []action{{
			usage: "URL",
			flags: func(set *flag.FlagSet) {
				set.StringVar(&secretEnv, "secret-env", secretEnv, "`VARIABLE` with the secret of the endpoint, whsec_…")
				set.StringVar(&effect, "effect", "", "`COMMAND` that prints the number of effects")
				set.BoolVar(&inJSON, "json", false, "write one JSON object per check and line")
				set.StringVar(&file, "junit", "", "write the results to this `FILE` too, as JUnit XML")
			},
			run: func(ctx context.Context, _ *controller, values []string) error {
				d := drill{url: values[0], secret: p.getenv(secretEnv), limit: sandbox.DeliveryTimeout}
				address, err := url.Parse(d.url)
				if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
					return misused("write the whole address of the handler, such as http://localhost:3000/hooks")
				}
				if d.secret == "" {
					return misused("the variable %s is empty: set it to the secret that the handler verifies with, or name another "+
						"variable with --secret-env", secretEnv)
				}
				counter, err := shellwords.Parse(effect)
				if err != nil {
					return misused("--effect: %v", err)
				}
				if len(counter) > 0 {
					d.effects = func(ctx context.Context) (int, error) { return printed(ctx, counter) }
				}
				return p.runDrill(ctx, d, inJSON, file)
			},
		}},
	}
}

func (p program) runDrill(ctx context.Context, d drill, inJSON bool, file string) error {
	var results []drillCheck
	count := map[string]int{}
	err := d.run(ctx, func(r drillCheck) {
		results = append(results, r)
		count[r.Result]++
		if inJSON {
			_ = writeJSON(p.out, r)
		} else {
			fmt.Fprintln(p.out, r)
		}
	})
	if err != nil {
		return err
	}
	if file != "" {
		if err := writeWhole(file, junit(results, count["failed"], count[notJudged])); err != nil {
			return fmt.Errorf("--junit: %w", err)
		}
	}
	if !inJSON {
		fmt.Fprintf(p.out, "%d ok, %d failed, %d not judged\n", count["ok"], count["failed"], count[notJudged])
	}
	if count["failed"] > 0 {
		return statusError{exitWrongHandler}
	}
	return nil
}
