package bend

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Word is a difference with a name, as a command line takes it.
type Word struct {
	Help  string // one line
	Rules []Rule
}

// Tolerances are differences that clients must tolerate (wire contract: Tolerance), by name.
var Tolerances = map[string]Word{
	"ignore-filters": {"list filters and search are ignored", []Rule{{"*.list", Request, ignoreFilters}}},
	"bare-objects": {"single objects come without the {data: …} envelope", []Rule{{Do: func(x *Exchange) {
		whole, _ := x.Got.(Object)
		if data, single := whole["data"].(Object); single {
			x.Got = data
		}
	}}}},
	"delete-no-content": {"a deletion returns 204 without a body", []Rule{{Operations: "*.delete", Do: func(x *Exchange) {
		if x.Status < http.StatusMultipleChoices {
			x.Status, x.Got = http.StatusNoContent, nil
		}
	}}}},
	"no-validators": {"no ETag or Last-Modified, so never a 304", []Rule{
		{"", Request, without("If-None-Match", "If-Modified-Since")},
		{"", Response, without("ETag", "Last-Modified")},
	}},
	"nulls-change-nothing": {"merge leaves the key of a null unchanged", []Rule{{"*.update", Request, func(x *Exchange) {
		if sent, _ := x.Sent.(Object); sent["custom_metadata_mode"] == "merge" {
			withoutNulls(sent["custom_metadata"])
		}
	}}}},
	"omit-null-fields": {"fields without a value are missing instead of null", []Rule{{Do: documented(func(o Object) {
		maps.DeleteFunc(o, func(_ string, v any) bool { return v == nil })
	}, same)}}},
	"unknown-fields": {"every object has undocumented fields", []Rule{{Do: documented(func(o Object) {
		o["x_undocumented"] = Object{"nested": []any{1, "two"}}
	}, same)}}},
	"flat-errors": {`every error has the shape {error: "text", error_code: "…"}`, []Rule{{Do: func(x *Exchange) {
		whole, _ := x.Got.(Object)
		if inner, nested := whole["error"].(Object); nested {
			x.Got = Object{"error": inner["message"], "error_code": inner["code"]}
		}
	}}}},
	"null-lists": {"an empty list is null", []Rule{{Do: documented(unchanged, func(list []any) any {
		if len(list) == 0 {
			return nil
		}
		return list
	})}}},
	"lean-accounts": {"lists, changes and the creation with a customer omit the customer of an account", []Rule{
		{Operations: "billing_accounts.[lusr]*", Do: Data(withoutCustomer)}, // not create, get
		{Operations: "billing_accounts.close", Do: Data(withoutCustomer)},
		{Operations: "customers.create", Do: Data(func(o Object) {
			if account, ok := o["billing_account"].(Object); ok {
				withoutCustomer(account)
			}
		})},
	}},
	"price-amounts": {"an item without an amount of its own shows that of its price", []Rule{
		{Operations: "subscriptions.items.*", Do: func(x *Exchange) {
			Data(func(item Object) {
				if id, _ := item["price_id"].(string); item["unit_amount_subcents"] == nil && id != "" {
					item["unit_amount_subcents"] = x.PriceOf(id)
				}
			})(x)
		}},
	}},
	"items-not-listed": {"the items of a subscription cannot be listed: 405", []Rule{
		{Operations: "subscriptions.items.list", Do: func(x *Exchange) {
			fail(x, http.StatusMethodNotAllowed, "method_not_allowed")
			x.Header.Set("Allow", http.MethodPut)
		}},
	}},
	"items-not-found": {"the items of a subscription cannot be listed: 404", []Rule{
		{Operations: "subscriptions.items.list", Do: func(x *Exchange) { fail(x, http.StatusNotFound, "not_found") }},
	}},
	"repeat-across-pages": {"after page 1 an object is inserted: the last one repeats on page 2",
		[]Rule{{Operations: "*.list", Do: func(x *Exchange) { shift(x, -1) }}}},
	"skip-across-pages": {"after page 1 an object is removed: the first one of page 2 is skipped",
		[]Rule{{Operations: "*.list", Do: func(x *Exchange) { shift(x, 1) }}}},
}

// paging are the query parameters that are no filters.
var paging = []string{"page", "per_page", "limit", "cursor", "sort_by", "sort_order"}

func ignoreFilters(x *Exchange) {
	maps.DeleteFunc(x.Query, func(name string, _ []string) bool { return !slices.Contains(paging, name) })
}

func without(headers ...string) func(*Exchange) {
	return func(x *Exchange) {
		for _, name := range headers {
			x.Header.Del(name)
		}
	}
}

func withoutNulls(v any) {
	if o, ok := v.(Object); ok {
		maps.DeleteFunc(o, func(_ string, v any) bool { return v == nil })
		for _, inner := range o {
			withoutNulls(inner)
		}
	}
}

func withoutCustomer(account Object) { delete(account, "customer") }

func fail(x *Exchange, status int, code string) {
	if x.Status == http.StatusOK {
		x.Status, x.Got = status, Object{"error": Object{"code": code, "message": "The service does not do this."}}
	}
}

// shift moves a page after the first one by an object, as if the list had changed since the first page was read.
func shift(x *Exchange, by int64) {
	whole, _ := x.Got.(Object)
	meta, _ := whole["meta"].(Object)
	page, size, total := number(meta["page"]), number(meta["per_page"]), number(meta["total"])
	data, isList := whole["data"].([]any) // an empty one may be null
	if page < 2 {
		return
	}
	query := url.Values{}
	maps.Copy(query, x.Query)
	query.Set("page", strconv.FormatInt(page+by, 10))
	query.Set("per_page", strconv.FormatInt(size, 10))
	other, _ := x.Again(query).(Object)
	beside, _ := other["data"].([]any)
	switch {
	case page-1 > total/size: // beyond the end
	case by < 0 && len(beside) > 0:
		data = append(beside[len(beside)-1:], data...)
	case by > 0:
		data = append(data[min(1, len(data)):], beside[:min(1, len(beside))]...)
	}
	total = max(total-by, 0)
	if data = data[:min(int64(len(data)), size)]; isList || len(data) > 0 {
		whole["data"] = data
	}
	for name, value := range map[string]int64{"total": total, "total_pages": (total + size - 1) / size} {
		meta[name] = json.Number(strconv.FormatInt(value, 10))
	}
}

// Rewords are ways to store texts otherwise than they were sent, by name.
var Rewords = map[string]Word{
	"trim":     reword("spaces at both ends are removed", strings.TrimSpace),
	"collapse": reword("a run of spaces becomes one", func(text string) string { return strings.Join(strings.Fields(text), " ") }),
	"crlf": reword("lines end in CR and LF", func(text string) string {
		return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
	}),
	"line-end": reword("a text ends with a line feed",
		func(text string) string { return strings.TrimSuffix(text, "\n") + "\n" }),
	"escape": reword("HTML is escaped", func(text string) string { return html.EscapeString(html.UnescapeString(text)) }),
	"lower":  reword("capitals become small", strings.ToLower),
	"nfd":    reword("letters are decomposed (Unicode NFD)", decomposed.Replace),
	"cut":    reword("texts are cut to 12 characters", cut),
	"url":    reword("a URL gets a lower-case host and a path", normalURL),
	"phone":  reword("phone numbers become digits", digits),
	"fill":   {"fields of nested objects that were left out get a value", []Rule{{Do: documented(fill, same)}}},
}

// decomposed has the letters of Portuguese.
var decomposed = func() *strings.Replacer {
	const acute, grave, circumflex, tilde, cedilla, diaeresis = "\u0301", "\u0300", "\u0302", "\u0303", "\u0327", "\u0308"
	var pairs []string
	for mark, letters := range map[string]string{acute: "áaéeíióoúuÁAÉEÍIÓOÚU", grave: "àaÀA", circumflex: "âaêeôoÂAÊEÔO",
		tilde: "ãaõoÃAÕO", cedilla: "çcÇC", diaeresis: "üuÜU"} {
		runes := []rune(letters)
		for i := 0; i < len(runes); i += 2 {
			pairs = append(pairs, string(runes[i]), string(runes[i+1])+mark)
		}
	}
	return strings.NewReplacer(pairs...)
}()

func cut(text string) string {
	const longest = 12
	runes := []rune(text)
	return string(runes[:min(len(runes), longest)])
}

func normalURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return text
	}
	if u.Host = strings.ToLower(u.Host); u.Path == "" {
		u.Path = "/"
	}
	return u.String()
}

var (
	phoneNumber = regexp.MustCompile(`^\+?[0-9 ()-]{8,}$`)
	notDigit    = regexp.MustCompile(`[^0-9]`)
	// noText are texts that decide something: ids, amounts, dates.
	noText = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^-?[0-9]+[.][0-9]+$|^\d{4}-\d\d-\d\d`)
)

func digits(text string) string {
	if !phoneNumber.MatchString(text) {
		return text
	}
	return notDigit.ReplaceAllString(text, "")
}

func fill(o Object) {
	_, isAddress := o["postal_code"]
	if _, has := o["street"]; (has || isAddress) && o["country"] == nil {
		o["country"] = "BR"
	}
	if _, isContact := o["value"]; isContact && o["kind"] == nil {
		o["kind"] = "other"
	}
	if _, isCustomer := o["legal_name"]; isCustomer && o["legal_name"] == nil {
		o["legal_name"] = "not given"
	}
}

// decides are the names of fields that decide something.
var decides = regexp.MustCompile(`^(id|authentication|next_cursor)$|_at$|At$`)

// reword changes the free texts of a response, and every text in free-form objects. Fields that decide something stay
// as they were sent.
func reword(help string, change func(string) string) Word {
	var walk func(x *Exchange, v any, field string, free bool) any
	walk = func(x *Exchange, v any, field string, free bool) any {
		switch v := v.(type) {
		case []any:
			for i := range v {
				v[i] = walk(x, v[i], field, free)
			}
		case Object:
			for name, member := range v {
				if !decides.MatchString(name) {
					v[name] = walk(x, member, name, free || name == "custom_metadata")
				}
			}
		case string:
			if v != "" && !noText.MatchString(v) && (free || slices.Contains(x.FreeTexts, field)) {
				return change(v)
			}
		}
		return v
	}
	return Word{help, []Rule{{Do: func(x *Exchange) {
		if x.Status < http.StatusBadRequest {
			x.Got = walk(x, x.Got, "", x.Records)
		}
	}}}}
}

// Names returns the names of words, sorted.
func Names(words map[string]Word) []string { return slices.Sorted(maps.Keys(words)) }

// Flags are the words by the flag of `billing-sandbox serve` that takes them.
var Flags = map[string]map[string]Word{"tolerance": Tolerances, "rewords": Rewords}

// Parse returns the rules for names separated by commas; errors list the valid ones.
func Parse(words map[string]Word, names string) (rules []Rule, err error) {
	for name := range strings.SplitSeq(names, ",") {
		if name == "" {
			continue
		}
		word, known := words[name]
		if !known {
			return nil, fmt.Errorf("no difference %q: use %s", name, strings.Join(Names(words), ", "))
		}
		rules = append(rules, word.Rules...)
	}
	return rules, nil
}

// Must is Parse for tolerances and ways to reword, by names that are known.
func Must(names string) []Rule {
	words := maps.Clone(Tolerances)
	maps.Copy(words, Rewords)
	rules, err := Parse(words, names)
	if err != nil {
		panic(err)
	}
	return rules
}
