package sandbox_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// scene is what a recorded request needs besides the objects that its path, its body and its response show, and what
// is compared of its response.
type scene struct {
	notPlayed string   // the reason
	before    string   // JSON merge patch: what the object of the path is before the request
	with      []string // ids of further objects
	owns      string   // id of a customer that has a subscription
	suspended bool     // accounts are suspended
	after     []string // exchanges that are played first
	fault     sandbox.Fault
	token     func(*testing.T, *sandbox.Server, caller) string // the caller's; nil: one that may do everything
	only      string                                           // fields that are compared of each object; empty: all
	free      string                                           // fields whose values are not compared
	onlyKinds bool                                             // kinds of values are compared, not the values
}

// stage is a sandbox before a recorded request.
type stage struct {
	t            *testing.T
	e            evidence.Exchange
	at           time.Time
	organization sandbox.Organization
	objects      []orgcopy.Object
	there        map[string]bool // ids of objects
	etag, cursor string
	delivery     string
	suspended    bool
}

// newStage has the objects of the response as they were before the request, those that the request names, and for
// each filter of a list one object that does not pass it.
func newStage(t *testing.T, e evidence.Exchange, of scene) *stage {
	t.Helper()
	s := &stage{t: t, e: e, there: map[string]bool{}, suspended: of.suspended}
	me, err := evidence.Load("billing/me_get")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(me.Response.Body, &s.organization); err != nil {
		t.Fatal(err)
	}
	s.at = latest(e)
	kind := kindOf(e)
	switch data := responded(e).(type) {
	case []any:
		s.list(kind, data)
	case map[string]any:
		id := text(data, "id")
		if kind != "" && e.Response.Status == http.StatusOK && id != "" && strings.Contains(e.Request.Path, id) {
			s.put(kind, s.e, before(e, data, of))
		}
	}
	if e.Response.Status != http.StatusNotFound {
		for _, id := range ids.FindAllString(e.Request.Path+string(e.Request.Body)+details(e), -1) {
			s.know(id, of.before)
		}
	}
	for _, id := range of.with {
		s.know(id, "")
	}
	if of.owns != "" {
		ids := strings.NewReplacer("11111111-1111-4111-8111-111111111111", of.owns)
		account := json.RawMessage(ids.Replace(copiedAccount))
		s.objects = append(s.objects, orgcopy.Object{Kind: evidence.Account, Object: account},
			orgcopy.Object{Kind: evidence.Subscription, Object: json.RawMessage(copiedSubscription)})
	}
	rank := func(o orgcopy.Object) int {
		return slices.IndexFunc(evidence.Kinds(), func(k evidence.Kind) bool { return k.Name == o.Kind })
	}
	slices.SortStableFunc(s.objects, func(a, b orgcopy.Object) int { return rank(a) - rank(b) })
	return s
}

var ids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)

// determined is what is there, and what is sent.
func (s *stage) determined() string {
	objects, err := json.Marshal(s.objects)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.e.Request.Path + string(s.e.Request.Body) + string(objects) + s.organization.ID
}

// learn notes what a response says that a later request sends.
func (s *stage) learn(r result) {
	s.etag = r.header.Get("ETag")
	var of struct {
		Meta struct {
			Cursor string `json:"next_cursor"`
		} `json:"meta"`
		Data json.RawMessage `json:"data"`
	}
	var data struct {
		Delivery string `json:"deliveryId"`
	}
	_ = json.Unmarshal(r.body, &of) // an empty response says nothing
	_ = json.Unmarshal(of.Data, &data)
	s.cursor, s.delivery = of.Meta.Cursor, data.Delivery
}

var aDelivery = regexp.MustCompile(`/deliveries/[^/]+`)

func (s *stage) withDelivery(path string) string {
	if s.delivery == "" {
		return path
	}
	return aDelivery.ReplaceAllString(path, "/deliveries/"+s.delivery)
}

// list puts the items of a list, one more for each filter that does not pass it, and others up to the total.
func (s *stage) list(kind string, data []any) {
	if kind == "" {
		return
	}
	like := data
	for _, other := range evidence.All("") { // of the longest list with that path
		if items, _ := responded(other).([]any); other.Request.Path == s.e.Request.Path && len(items) > len(like) {
			like = items
		}
	}
	if kind == evidence.Record { // which are listed in the order in which they were created
		data = like
	}
	for _, item := range data {
		s.put(kind, s.e, item.(map[string]any))
	}
	if len(like) == 0 {
		return
	}
	for field := range s.e.Request.Query {
		if value, ok := outside[field]; ok {
			s.put(kind, s.e, merged(s.t, like[0].(map[string]any), strings.ReplaceAll(value, "$ID", newID(len(s.objects)))))
		}
	}
	var meta struct {
		Meta struct {
			Total int `json:"total"`
		} `json:"meta"`
	}
	if err := json.Unmarshal(s.e.Response.Body, &meta); err != nil {
		s.t.Fatal(err)
	}
	for n := len(data); n < meta.Meta.Total; n++ {
		s.put(kind, s.e, merged(s.t, like[0].(map[string]any), `{"id":"`+newID(len(s.objects))+
			`","external_id":null,"created_at":"2020-01-01T00:00:00.000Z","createdAt":"2020-01-01T00:00:00.000Z"}`))
	}
}

// outside are changes to an object so that a filter does not pass it.
var outside = map[string]string{
	"external_id":        `{"id":"$ID","external_id":"another"}`,
	"document_number":    `{"id":"$ID","external_id":"another","document_number":"11144477735"}`,
	"customer_id":        `{"id":"$ID","external_id":"another","customer":{"id":"71111111-1111-4111-8111-111111111111"}}`,
	"billing_account_id": `{"id":"$ID","external_id":"another","billing_account_id":"81111111-1111-4111-8111-111111111111"}`,
	"status":             `{"id":"$ID","external_id":"another","status":"draft"}`,
	"updated_at_gte":     `{"id":"$ID","external_id":"another","updated_at":"2020-01-01T00:00:00.000Z"}`,
	"search": `{"id":"$ID","external_id":"another","name":"Another","nickname":null,"legal_name":null,"notes":null,` +
		`"document_number":null,"emails":[],"phones":[],"addresses":[],"websites":[]}`,
	"company_id":       `{"id":"$ID","company_id":"91111111-1111-4111-8111-111111111111"}`,
	"occurred_at[gte]": `{"id":"$ID","occurred_at":"2020-01-01"}`,
	"occurred_at[gt]":  `{"id":"$ID","occurred_at":"2020-01-01"}`,
	"occurred_at[lt]":  `{"id":"$ID","occurred_at":"2030-01-01"}`,
	"occurred_at[lte]": `{"id":"$ID","occurred_at":"2030-01-01"}`,
}

func newID(n int) string {
	return "a1111111-1111-4111-8111-1111111111" + string(rune('0'+n/10)) + string(rune('0'+n%10))
}

// put adds an object, and the account of a subscription.
func (s *stage) put(kind string, e evidence.Exchange, object map[string]any) {
	s.there[text(object, "id")] = true
	if account := text(object, "billing_account_id"); kind == evidence.Subscription {
		s.know(account, "")
		if !s.there[account] {
			s.there[account] = true
			s.objects = append(s.objects, orgcopy.Object{Kind: evidence.Account,
				Object: json.RawMessage(strings.Replace(copiedAccount, "21111111-1111-4111-8111-111111111111", account, 1))})
		}
	}
	document, err := json.Marshal(object)
	if err != nil {
		s.t.Fatal(err)
	}
	o := orgcopy.Object{Kind: kind, Object: document}
	if kind == evidence.Record {
		o.Service, _, _ = strings.Cut(e.Name, "/")
		o.Collection = strings.Split(e.Request.Path, "/")[2]
	}
	if kind == evidence.Subscription {
		items, err := evidence.Load("billing/subscription_items_list")
		if err != nil {
			s.t.Fatal(err)
		}
		if strings.Contains(s.e.Operation, ".items.") && s.e.Name != "billing/subscription_items_list_empty" {
			o.Items = result{t: s.t, body: items.Response.Body}.raw("data")
		}
	}
	s.objects = append(s.objects, o)
}

// know puts the object with that id, as an exchange shows it, unless it is there.
func (s *stage) know(id, patch string) {
	if s.there[id] {
		return
	}
	for _, operation := range []string{".create", ".list", ".get", ".rotate"} {
		for _, e := range evidence.All("") {
			kind := kindOf(e)
			if kind == "" || !strings.HasSuffix(e.Operation, operation) || e.Response.Status >= 300 {
				continue
			}
			data, isList := responded(e).([]any)
			if !isList {
				data = []any{responded(e)}
			}
			for _, item := range data {
				if object, _ := item.(map[string]any); text(object, "id") == id {
					if strings.Contains(s.e.Request.Path+details(s.e), id) {
						object = merged(s.t, object, patch)
					}
					if kind == evidence.Account && s.suspended {
						object = merged(s.t, object, halted)
					}
					s.put(kind, e, object)
					return
				}
			}
		}
	}
}

// before is an object of a response before the request: an update changes each field that it sends.
func before(e evidence.Exchange, after map[string]any, of scene) map[string]any {
	object := maps.Clone(after)
	if e.Request.Method == http.MethodGet {
		return object
	}
	customer, _ := object["customer"].(map[string]any)
	customer = maps.Clone(customer)
	for _, o := range []map[string]any{object, customer} {
		for updated, created := range map[string]string{"updated_at": "created_at", "updatedAt": "createdAt"} {
			if o[updated] != nil {
				o[updated] = o[created]
			}
		}
	}
	if customer != nil {
		object["customer"] = customer
	}
	var sent map[string]any
	_ = json.Unmarshal(e.Request.Body, &sent) // no body changes no field
	if e.Request.Method == http.MethodPatch {
		for name := range sent {
			if _, ok := object[name]; ok {
				object[name] = another(e, name, object[name])
			} else if _, ok := customer[name]; ok {
				customer[name] = another(e, name, customer[name])
			}
		}
	}
	patched, err := patch(object, of.before)
	if err != nil {
		panic(err)
	}
	return patched
}

// another is another value of the same kind. Instead of nothing it is what another exchange has in that field.
func another(e evidence.Exchange, name string, value any) any {
	for _, other := range evidence.All("") {
		object, _ := responded(other).(map[string]any)
		if empty(value) && kindOf(other) == kindOf(e) && !empty(object[name]) {
			return object[name]
		}
	}
	switch value := value.(type) {
	case string:
		return "another"
	case bool:
		return !value
	case json.Number:
		return json.Number("1")
	case []any:
		return []any{}
	case map[string]any:
		return map[string]any{}
	}
	return value
}

func merged(t *testing.T, object map[string]any, with string) map[string]any {
	t.Helper()
	out, err := patch(object, with)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// patch sets the fields of a JSON object in another one.
func patch(object map[string]any, with string) (map[string]any, error) {
	out := maps.Clone(object)
	if with == "" {
		return out, nil
	}
	var fields map[string]any
	decoder := json.NewDecoder(strings.NewReader(with))
	decoder.UseNumber()
	err := decoder.Decode(&fields)
	for name, value := range fields {
		inner, isObject := value.(map[string]any)
		if old, ok := out[name].(map[string]any); ok && isObject && name == "customer" {
			out[name] = maps.Clone(old)
			maps.Copy(out[name].(map[string]any), inner)
			continue
		}
		if _, ok := out[name]; ok || !strings.HasPrefix(name, "created") {
			out[name] = value
		}
	}
	return out, err
}

// idsOf are the ids of a recorded list.
func idsOf(name string) []string {
	e, err := evidence.Load(name)
	if err != nil {
		panic(err)
	}
	return ids.FindAllString(string(e.Response.Body), -1)
}

func text(object map[string]any, name string) string {
	value, _ := object[name].(string)
	return value
}

// responded is what a response returned: an object, or the items of a list.
func responded(e evidence.Exchange) any {
	if e.Response.Body == nil {
		return nil
	}
	var body map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(e.Response.Body)))
	decoder.UseNumber()
	if decoder.Decode(&body) != nil {
		return nil
	}
	if data, ok := body["data"]; ok {
		return data
	}
	return body
}

func details(e evidence.Exchange) string {
	var body struct {
		Error struct{ Details json.RawMessage }
	}
	_ = json.Unmarshal(e.Response.Body, &body) // a success has none
	return string(body.Error.Details)
}

// latest is the last time in a response that is not ahead of it.
func latest(e evidence.Exchange) time.Time {
	at := time.Date(2025, 9, 20, 0, 0, 0, 0, time.UTC)
	object, isObject := responded(e).(map[string]any)
	if inner, ok := object["customer"].(map[string]any); ok && object["id"] == nil {
		object = inner
	}
	if !isObject || e.Request.Method == http.MethodGet {
		return at
	}
	for _, name := range []string{"created_at", "createdAt", "updated_at", "updatedAt"} {
		if stamp, err := time.Parse(time.RFC3339, text(object, name)); err == nil {
			at = stamp
		}
	}
	return at
}

// kindOf is the kind of the objects that an exchange is about; empty: it is about none that a copy has.
func kindOf(e evidence.Exchange) string {
	switch kind, verb := evidence.Subject(e.Operation); {
	case strings.HasPrefix(verb, "items."), verb == "invoice", strings.HasPrefix(e.Operation, "finance.openapi"):
		return ""
	case e.Operation == "records.list", strings.HasPrefix(e.Operation, "finance."):
		return evidence.Record
	default:
		return kind.Name
	}
}

func wrongToken(*testing.T, *sandbox.Server, caller) string { return "wrong" }

func noToken(*testing.T, *sandbox.Server, caller) string { return "" }

// may returns a token with only these scopes.
func may(service sandbox.Service, scopes ...string) func(*testing.T, *sandbox.Server, caller) string {
	return func(t *testing.T, server *sandbox.Server, c caller) string {
		t.Helper()
		if service == sandbox.Collections {
			document, err := json.Marshal(map[string]any{"name": "few", "scopes": append([]string{}, scopes...)})
			if err != nil {
				t.Fatal(err)
			}
			_, made := c.key(string(document))
			return made.text("data", "token")
		}
		token, err := server.NewToken(sandbox.Token{Service: service, Scopes: scopes})
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
}

func expired(t *testing.T, server *sandbox.Server, _ caller) string {
	t.Helper()
	return financeToken(t, server, sandbox.Token{Expires: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)})
}

const (
	marilia      = "67b7a5f7-ef01-4411-84cb-e419b7b4e32e"
	subscription = "7d1f4c5e-2b0a-4e63-9f1d-5a0c8e7b4411"
	webhook      = "16e21def-f41b-4abd-baa4-8bb8a7e2b48f"

	active   = `{"status":"active","paused_at":null,"pause_collection":null,"canceled_at":null,"cancellation_reason":null}`
	paused   = `{"status":"paused","paused_at":"2025-09-15T10:00:00.118Z","resumed_at":null,"pause_collection":{"behavior":"void"}}`
	canceled = `{"status":"canceled","canceled_at":"2025-09-20T08:45:59.003Z"}`
	open     = `{"status":"active","suspended_at":null,"suspension_reason":null}`
	halted   = `{"status":"suspended","suspended_at":"2025-08-12T11:00:00.450Z","suspension_reason":"late"}`

	leftOut  = "leaves out or adds fields, which the client tolerates; the sandbox always returns all fields"
	delivers = "a copy has no deliveries; see pipeline_test.go"
	proxied  = "does not come from the service; see TestForeign"
)

// deliveryFields are those of the recorded deliveries; the sandbox also shows headers.
const deliveryFields = "id event eventId status httpCode attempts createdAt lastError requestBody responseBody " +
	"deliveredAt nextRetryAt"

// tests make five deliveries.
var tests = []string{"collections/webhook_endpoint_test", "collections/webhook_endpoint_test",
	"collections/webhook_endpoint_test", "collections/webhook_endpoint_test", "collections/webhook_endpoint_test"}

// scenes are the exchanges that need more than their request and their response show.
var scenes = map[string]scene{
	"billing/account_close":                        {before: open},
	"billing/account_create_by_code":               {with: []string{marilia}},
	"billing/account_create_by_document":           {with: []string{marilia}},
	"billing/account_create_by_external_id":        {with: []string{marilia}},
	"billing/account_create_external_id_taken":     {before: `{"external_id":"conta-7f31-b"}`},
	"billing/account_reactivate":                   {before: halted},
	"billing/account_suspend":                      {before: open},
	"billing/account_suspend_again":                {before: halted},
	"billing/account_update_closed":                {before: `{"status":"closed"}`},
	"billing/account_update_customer_not_loaded":   {notPlayed: leftOut},
	"billing/account_update_merge":                 {before: `{"external_id":"x","custom_metadata":{"cost_center":{"code":"SP-002"},"reviewed_by":"a"}}`},
	"billing/customer_delete_active_subscriptions": {owns: "43b4343a-65c4-4556-a059-d121c7fd99d7"},
	"billing/customer_get_not_modified":            {after: []string{"billing/customer_get"}},
	"billing/customer_get_with_accounts":           {notPlayed: leftOut},
	"billing/customer_update_merge": {before: `{"custom_metadata":{"crm":{"owner":"a","segment":"food","score":87.5},` +
		`"erp_sequence":9007199254740993,"route":[],"blocked":true,"reviewed_by":null}}`},
	"billing/error_bad_gateway_html":                 {notPlayed: proxied},
	"billing/error_gateway_timeout":                  {fault: sandbox.Fault{Status: 504, Code: "timeout"}},
	"billing/error_insufficient_scope":               {token: may(sandbox.Billing, "customers:read")},
	"billing/error_internal":                         {fault: sandbox.Fault{Status: 500}},
	"billing/error_unauthorized_flat":                {token: wrongToken},
	"billing/error_invalid_token":                    {notPlayed: "the sandbox returns the other recorded shape, error_unauthorized_flat"},
	"billing/error_rate_limited":                     {fault: sandbox.Fault{Status: 429, RetryAfter: "2"}},
	"billing/error_rate_limited_bare":                {fault: sandbox.Fault{Status: 429}},
	"billing/error_rate_limited_date":                {fault: sandbox.Fault{Status: 429, RetryAfter: "date:2s"}},
	"billing/error_unavailable_empty":                {fault: sandbox.Fault{Status: 503, Empty: true}},
	"billing/invoice_create":                         {only: "id subscription_id billing_account_id status amount_cents due_date created_at"},
	"billing/invoice_create_without_reason":          {only: "id"},
	"billing/invoices_list":                          {after: []string{"billing/invoice_create", "billing/invoice_create"}, with: []string{subscription}, only: "id"},
	"billing/records_list":                           {only: "id name"},
	"billing/subscription_cancel":                    {before: active},
	"billing/subscription_cancel_again":              {before: canceled},
	"billing/subscription_cancel_at_period_end":      {before: `{"cancel_at_period_end":false,"cancellation_reason":null}`},
	"billing/subscription_cancel_not_allowed":        {before: `{"allow_cancel":false}`},
	"billing/subscription_change_plan":               {before: `{"plan_id":"3a6d9c1f-74e2-4c08-b1b5-0f2d8a6e5c71"}`},
	"billing/subscription_change_plan_end_of_period": {before: `{"metadata":{}}`},
	"billing/subscription_change_plan_taken_back":    {before: `{"metadata":{"pending_plan_id":"c9e17b52-06af-4d3b-8e94-61f5a2d7b830"}}`},
	"billing/subscription_create_account_suspended":  {suspended: true},
	"billing/subscription_create_external_id_taken":  {before: `{"external_id":"assinatura-0087"}`},
	"billing/subscription_create_unknown_plan":       {with: []string{"3a6d9c1f-74e2-4c08-b1b5-0f2d8a6e5c71"}},
	// The exchanges show a trial within the first period. In the sandbox it is the first period: see evidence/README.md.
	"billing/subscription_create_trial_days":          {free: "current_period_end cycle_billing_date"},
	"billing/subscription_create_trial_end":           {free: "current_period_end cycle_billing_date"},
	"billing/subscription_delete":                     {before: canceled},
	"billing/subscription_get_least":                  {notPlayed: leftOut},
	"billing/subscription_get_open_shapes":            {notPlayed: leftOut},
	"billing/subscription_items_list_not_allowed":     {notPlayed: "the sandbox has this operation"},
	"billing/subscription_pause":                      {before: active},
	"billing/subscription_pause_canceled":             {before: canceled},
	"billing/subscription_pause_not_allowed":          {before: `{"allow_pause":false}`},
	"billing/subscription_pause_until":                {before: active},
	"billing/subscription_resume":                     {before: paused},
	"billing/subscription_resume_trialing":            {before: paused},
	"billing/subscription_update_schedule_taken_back": {before: `{"cancel_at_period_end":true}`},

	"collections/api_key_create_insufficient_scope": {token: may(sandbox.Collections)},
	"collections/api_key_revoke_again":              {before: `{"revokedAt":"2025-05-20T10:11:12.013Z"}`},
	"collections/api_key_rotate_revoked":            {before: `{"revokedAt":"2025-05-20T10:11:12.013Z"}`},
	"collections/api_key_rotate_rotated":            {after: []string{"collections/api_key_rotate"}},
	"collections/error_internal":                    {fault: sandbox.Fault{Status: 500}},
	"collections/error_rate_limited":                {fault: sandbox.Fault{Status: 429, RetryAfter: "30"}},
	"collections/error_scope_endpoints":             {token: may(sandbox.Collections, "api_keys:*")},
	"collections/error_unauthorized_create":         {token: wrongToken},
	"collections/error_unauthorized_deliveries":     {token: noToken},
	"collections/error_unauthorized_endpoints":      {token: noToken},
	"collections/error_unauthorized_keys":           {token: wrongToken},
	"collections/webhook_deliveries_list":           {after: tests, onlyKinds: true, only: deliveryFields},
	"collections/webhook_deliveries_list_by_status": {notPlayed: delivers},
	"collections/webhook_deliveries_list_page":      {after: tests, onlyKinds: true, only: deliveryFields},
	"collections/webhook_delivery_retry":            {notPlayed: delivers},
	"collections/webhook_delivery_retry_inactive":   {notPlayed: delivers},
	"collections/webhook_delivery_retry_not_found":  {with: []string{webhook}},

	"finance/accounts_list_last":               {after: []string{"finance/accounts_list", "finance/accounts_list_next"}},
	"finance/accounts_list_next":               {after: []string{"finance/accounts_list"}},
	"finance/accounts_list_not_modified":       {after: []string{"finance/accounts_list"}, with: idsOf("finance/accounts_list_default")},
	"finance/accounts_list_rate_limited":       {fault: sandbox.Fault{Status: 429, RetryAfter: "30"}},
	"finance/accounts_list_tampered_cursor":    {after: []string{"finance/accounts_list"}, with: idsOf("finance/accounts_list_default")},
	"finance/accounts_list_unauthorized":       {token: noToken},
	"finance/openapi_json":                     {only: "openapi"},
	"finance/openapi_json_unauthorized":        {token: noToken},
	"finance/payables_list_by_company_next":    {after: []string{"finance/payables_list_by_company"}},
	"finance/payables_list_expired":            {token: expired},
	"finance/payables_list_insufficient_scope": {token: may(sandbox.Finance, "accounts:read")},
	"finance/payables_list_other_filters":      {after: []string{"finance/payables_list_by_company"}, with: idsOf("finance/payables_list")},
	"finance/receivables_list_unavailable":     {fault: sandbox.Fault{Status: 503, RetryAfter: "5"}},
	"finance/record_create_again":              {after: []string{"finance/record_create"}},
	"finance/record_create_insufficient_scope": {token: may(sandbox.Finance, "accounts:read")},
	"finance/record_create_unauthorized":       {token: wrongToken},
	"finance/record_delete_insufficient_scope": {token: may(sandbox.Finance, "payables:read")},
	"finance/record_get_internal":              {fault: sandbox.Fault{Status: 500}},
	"finance/record_get_not_modified":          {after: []string{"finance/record_get"}},
	"finance/record_get_unauthorized":          {token: noToken},
	"finance/record_update_removes":            {before: `{"status":"open"}`},
	"finance/records_list_other_collection":    {after: []string{"finance/accounts_list"}, with: idsOf("finance/accounts_list_default")},
}
