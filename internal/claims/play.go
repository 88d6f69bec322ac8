package claims

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// stage is what the steps of a fact know.
type stage struct {
	p     *probe
	vars  map[string]any    // objects and values by name
	paths map[string]string // of objects, and the addresses of receivers
	kinds map[string]*kind
	hooks map[string]*receiver
	last  *response
}

func (f *fact) play(p *probe) {
	for _, value := range f.each {
		s := &stage{p: p, vars: map[string]any{f.variable: decoded(value)}, paths: map[string]string{},
			kinds: map[string]*kind{}, hooks: map[string]*receiver{}, last: &response{p: p}}
		for _, step := range f.steps {
			if step[0] == "advance" && p.target.Advance == nil {
				p.failf("%w: a clock that can be advanced", ErrNotGiven)
			}
		}
		for _, step := range f.steps {
			if name, words := named(step); p.err == nil {
				s.step(name, words)
			}
		}
	}
}

func (s *stage) step(name string, words []string) {
	verb, status := verbs[words[0]], 0
	switch k := creatable[words[0]]; {
	case k != nil:
		s.create(name, k, words[1:])
	case verb != nil && len(words) > verb.needs:
		verb.do(s, name, words[1:])
	case verb != nil:
		s.p.failf("%s needs %d words", words[0], verb.needs)
	case words[0] == "as" || methods[words[0]]:
		s.request(name, words)
	default:
		if n, err := strconv.Atoi(words[0]); err == nil {
			words, status = words[1:], n
		}
		if status >= http.StatusBadRequest {
			s.last.wantRejected(status)
		} else if status > 0 {
			s.last.wantStatus(status)
		}
		s.expect(words)
	}
}

// verb is a step with so many words at least, and what it does.
type verb struct {
	needs int
	do    func(s *stage, name string, args []string)
}

// verbs are described at [Facts].
var verbs map[string]*verb

func init() {
	verbs = map[string]*verb{
		"take":   {1, func(s *stage, name string, args []string) { s.vars[name] = s.last.part(args[0]).at(args[0]) }},
		"kept":   {1, func(s *stage, _ string, args []string) { s.last.wantKept(s.kinds[args[0]], s.vars[args[0]], args...) }},
		"hidden": {1, func(s *stage, _ string, args []string) { s.last.wantNowhere(args[0], s.text(args[0])) }},
		"redacted": {1, func(s *stage, _ string, args []string) {
			s.p.wantRedacted(s.last.at("data"), strings.Fields(strings.ToLower(strings.Join(args, " "))))
		}},
		"items":    {1, (*stage).items},
		"listed":   {2, (*stage).listed},
		"advance":  {1, (*stage).advance},
		"hook":     {1, (*stage).hook},
		"sent":     {2, (*stage).sent},
		"signed":   {3, func(s *stage, _ string, args []string) { s.signed(true, args) }},
		"unsigned": {3, func(s *stage, _ string, args []string) { s.signed(false, args) }},
		"silent":   {1, (*stage).silent},
		"delivered": {3, func(s *stage, _ string, args []string) {
			s.last = s.p.record(s.text(args[0]), s.text(args[1]), args[2])
			s.expect(args[3:])
		}},
		"recorded": {2, func(s *stage, _ string, args []string) {
			if one, is := s.nth(args), s.last.at("data.requestBody"); !sameText(is, one.body) {
				s.last.failf("data.requestBody is %s, what came is %s", show(is), clip(one.body))
			}
		}},
	}
}

func (s *stage) create(name string, k *kind, args []string) {
	fields := object{}
	if len(args) > 0 && args[0] == "full" {
		fields, args = k.full(unique()), args[1:]
	}
	if len(args) > 0 {
		given, _ := s.value(args[0]).(object)
		fields = merged(fields, given)
	}
	one := (&scope{k: k, p: s.p, path: k.path}).create(fields)
	s.last, s.vars[name], s.paths[name], s.kinds[name] = one.from, one.at("data"), one.path, k
}

// request sends a request and keeps the data of its response.
func (s *stage) request(name string, words []string) {
	c := call{header: http.Header{}}
	if words[0] == "as" {
		if c.token = s.text(words[1]); c.token == "" {
			s.p.failf("%w: %s", ErrNotGiven, tokenOf[words[1]].name)
			return
		}
		words = words[2:]
	}
	path, query, _ := strings.Cut(words[1], "?")
	c.method, c.path = words[0], s.text(path)
	var parameters []string
	for one := range strings.SplitSeq(query, "&") {
		if parameter, value, is := strings.Cut(one, "="); is {
			parameters = append(parameters, parameter, s.text(value))
		}
	}
	c.query = pairs(parameters)
	for _, word := range words[2:] {
		if header, value, is := strings.Cut(word, "="); is && !strings.ContainsAny(header, `{["`) {
			c.header[header] = []string{s.text(value)}
			continue
		}
		c.body = s.value(word)
	}
	if s.p.finance && c.method == http.MethodPost && c.header.Get(idempotencyHeader) == "" {
		c.header[idempotencyHeader] = []string{uuid.NewString()}
	}
	if s.last = s.p.send(c); name != "" {
		s.vars[name] = s.last.at("data")
		s.paths[name] = c.path + "/" + text(s.vars[name], "id")
	}
}

func (s *stage) items(_ string, args []string) {
	unlisted := s.last.status == http.StatusNotFound || s.last.status == http.StatusMethodNotAllowed
	if items, _ := s.value(args[0]).([]any); !unlisted || !s.p.target.accepts.accept(unlistedItems) {
		s.last.wantStatus(http.StatusOK).wantSet(items)
	}
}

func (s *stage) listed(_ string, args []string) {
	one := (&scope{p: s.p, path: args[0], k: apiKeys}).find(s.text(args[1]))
	if one == nil {
		s.p.failf("GET %s does not contain %s", args[0], s.text(args[1]))
		return
	}
	s.last = one
	s.expect(args[2:])
}

func (s *stage) advance(_ string, args []string) {
	by, err := time.ParseDuration(args[0])
	if len(args) == 2 {
		from, wrong := time.Parse(time.RFC3339, s.text(args[0]))
		to, alsoWrong := time.Parse(time.RFC3339, s.text(args[1]))
		by, err = to.Sub(from), errors.Join(wrong, alsoWrong)
	}
	if err != nil {
		s.p.failf("advance %v: %w", args, err)
		return
	}
	s.p.advance(by)
}

func (s *stage) hook(_ string, args []string) {
	r := s.hooks[args[0]]
	if r == nil {
		r = s.p.hears()
		s.hooks[args[0]], s.paths[args[0]] = r, r.url+r.path
	}
	for _, arg := range args[1:] {
		code, err := strconv.Atoi(s.text(arg))
		switch {
		case arg == "break":
			r.respondWith(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		case err == nil:
			r.respondWith(status(code))
		default: // headers and a body
			answer, _ := s.value(arg).(object)
			r.respondWith(func(w http.ResponseWriter, _ *http.Request) {
				for name, value := range answer {
					w.Header().Set(name, fmt.Sprint(value))
				}
				w.Header().Del("body")
				fmt.Fprint(w, answer["body"])
			})
		}
	}
}

// nth waits for the n-th request of a receiver.
func (s *stage) nth(args []string) received {
	n, err := strconv.Atoi(args[1])
	if r := s.hooks[args[0]]; r != nil && err == nil {
		return s.p.awaitNth(r, n)
	}
	s.p.failf("%v is no request of a receiver", args)
	return received{}
}

// sent compares a request, or that of an event about an object, with what it has to hold.
func (s *stage) sent(_ string, args []string) {
	if _, err := strconv.Atoi(args[1]); err == nil {
		s.last = s.p.envelope(s.nth(args))
		s.expect(args[2:])
		return
	}
	s.last = s.p.about(s.hooks[args[0]], args[1], s.text(args[2]))
	s.expect(args[3:])
}

func (s *stage) signed(wanted bool, args []string) {
	one := s.nth(args)
	if s.p.sentAt(one); s.p.err == nil && signedWith(one, s.text(args[2])) != wanted {
		s.p.failf("that %s is signed with %s is %t", one.header.Get("X-Webhook-Event"), args[2], !wanted)
	}
}

// silent fails if something has arrived: of an event, about an object; or an n-th request.
func (s *stage) silent(_ string, args []string) {
	all := s.hooks[args[0]].all()
	args = append(args[1:], "", "")
	if n, err := strconv.Atoi(args[0]); err == nil {
		args[0], all = "", all[min(len(all), n-1):]
	}
	for _, one := range all {
		event, about := one.header.Get("X-Webhook-Event"), s.p.envelope(one).at("data.id")
		if (args[0] == "" || args[0] == event) && (args[1] == "" || about == any(s.text(args[1]))) {
			s.p.failf("%s reached an endpoint that must not receive it", event)
		}
	}
}

func (s *stage) expect(words []string) {
	for _, word := range words {
		s.last.expect(s.value, word)
	}
}

var (
	refForm   = regexp.MustCompile(`\$([a-z][a-z0-9_]*)((?:\.[A-Za-z0-9_]+)*)`)
	innerForm = regexp.MustCompile(`\$\{[a-z0-9_]+\}`)
	timeForms = regexp.MustCompile(`^(\$[A-Za-z0-9_.]+?)([+-][0-9]+(?:d|ms|[hms]))?(@[+-]\d\d:\d\d)?$`)
)

// decoded is a value in JSON, or else a text.
func decoded(word string) any {
	a := response{raw: []byte(word)}
	if a.decode(); a.body == any(missing{}) {
		return word
	}
	return a.body
}

// value is a word in JSON with the values of its variables.
func (s *stage) value(word string) any { return s.filled(decoded(word)) }

func (s *stage) filled(value any) any {
	switch value := value.(type) {
	case object:
		all := object{}
		for name, member := range value {
			all[s.text(name)] = s.filled(member)
		}
		return all
	case []any:
		for i, item := range value {
			value[i] = s.filled(item)
		}
	case string:
		if refForm.FindString(value) != value || value == "" {
			return s.text(value)
		}
		if whole, isObject := s.vars[value[1:]].(object); isObject {
			return whole
		}
		return s.variable(value)
	}
	return value
}

// text is a word with the values of its variables, and the paths of objects.
func (s *stage) text(word string) string {
	fill := func(ref string) string { return fmt.Sprint(s.variable(ref)) }
	word = innerForm.ReplaceAllStringFunc(word, func(ref string) string { return fill("$" + strings.Trim(ref, "${}")) })
	if sum := timeForms.FindStringSubmatch(word); sum != nil && sum[2]+sum[3] != "" {
		return s.moment(sum[1], sum[2], sum[3])
	}
	return refForm.ReplaceAllStringFunc(word, fill)
}

// moment is a time with a duration added, in an offset.
func (s *stage) moment(ref, by, offset string) string {
	t, err := time.Parse(time.RFC3339Nano, fmt.Sprint(s.variable(ref)))
	if days, is := strings.CutSuffix(by, "d"); is {
		n, wrong := strconv.Atoi(days)
		t, err = t.AddDate(0, 0, n), errors.Join(err, wrong)
	} else if by != "" {
		d, wrong := time.ParseDuration(by)
		t, err = t.Add(d), errors.Join(err, wrong)
	}
	if zone, wrong := time.Parse("@-07:00", offset); wrong == nil {
		t = t.In(zone.Location())
	}
	if err != nil {
		s.p.failf("%s%s: %w", ref, by, err)
	}
	return t.Format("2006-01-02T15:04:05.999Z07:00")
}

// variable is the value of $name or $name.member.
func (s *stage) variable(ref string) any {
	name, member, _ := strings.Cut(ref[1:], ".")
	if path := s.paths[name]; path != "" && member == "" {
		return path
	}
	if _, known := s.vars[name]; !known {
		s.vars[name] = s.given(name)
	}
	found := (&response{body: s.vars[name]}).at(member)
	if found == any(missing{}) {
		s.p.failf("there is no %s", ref)
	}
	return found
}

// given is the value of a variable that no step has set.
func (s *stage) given(name string) any {
	if one, is := tokenOf["$"+name]; is {
		return one.value(s.p.target)
	}
	word := strings.TrimRight(name, "0123456789")
	n, _ := strconv.Atoi(name[len(word):]) // none: 0
	switch word {
	case "word":
		return unique()
	case "uuid":
		return uuid.NewString()
	case "nobody":
		return nobody
	case "page":
		return strconv.Itoa(s.p.maxPerPage())
	case "plan":
		return s.p.plan(n)
	case "product":
		return s.p.item(n, nil)["product_id"]
	case "price":
		return s.p.item(n, nil)["price_id"]
	}
	s.p.failf("there is no $%s", name)
	return nil
}

// tokenOf are the optional tokens of a target.
var tokenOf = map[string]struct {
	name  string
	value func(Target) string
}{
	"$revoked":         {"a revoked token", func(t Target) string { return t.RevokedToken }},
	"$expired":         {"an expired token", func(t Target) string { return t.ExpiredToken }},
	"$narrow":          {"a token that may not create customers", func(t Target) string { return t.NarrowToken }},
	"$finance_expired": {"an expired token of financial management", func(t Target) string { return t.FinanceExpiredToken }},
	"$finance_narrow":  {"a token that may read accounts only", func(t Target) string { return t.FinanceNarrowToken }},
}
