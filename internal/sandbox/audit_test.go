package sandbox_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/hook"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// told is an entry of the audit trail as one line, without ids.
func told(e sandbox.AuditEntry) string {
	var terms []string
	for name, value := range e.Terms {
		if name == "reason" || name == "cancel_at_period_end" || name == "behavior" {
			terms = append(terms, name+" "+*value)
		}
	}
	return strings.Join(slices.DeleteFunc([]string{e.Time.Format(time.DateOnly), e.Cause, e.Action, e.Type,
		fmt.Sprintf("%s>%s", e.Before, e.After), strings.Join(terms, " "), e.Reason},
		func(text string) bool { return text == "" }), " ")
}

func trail(t *testing.T, server *sandbox.Server) []sandbox.AuditEntry {
	t.Helper()
	all, err := server.AuditTrail()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Every transition, redelivery, rotation and revocation is recorded with who, when, what and why, also over a restart.
func TestAuditTrail(t *testing.T) {
	t.Parallel()
	erp := hook.Start(t)
	erp.Respond(hook.Status(http.StatusInternalServerError, ""))
	options := reaching(erp)
	options.Start, options.StateFile = morning, filepath.Join(t.TempDir(), "state.db")
	server := start(t, options)
	c, hooks := call(t, server), collect(t, server)

	path, made := c.subscribe(`,"external_id":"ana-pro"`)
	id, account := made.text("data", "id"), made.text("data", "billing_account_id")
	paused := c.do("POST", path+"/pause", `{"behavior":"void"}`, "User-Agent", "crm/3 linux").want(200)
	c.do("POST", path+"/resume", "").want(200)
	c.do("POST", path+"/change-plan", `{"plan_id":"`+otherPlan+`","timing":"end_of_period","reason":"grows"}`).want(200)
	c.do("POST", path+"/change-plan", `{"plan_id":"none","reason":"rejected"}`).want(422)
	c.do("PATCH", path, `{"custom_metadata":{"crm":1}}`).want(200) // no transition
	for _, err := range []error{server.SetPastDue(id, true), server.SetPastDue(id, false)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	c.do("POST", "/v1/billing-accounts/"+account+"/suspend", `{"reason":"fraud"}`).want(200)
	c.do("POST", "/v1/billing-accounts/"+account+"/reactivate", `{"reason":"cleared"}`).want(200)
	c.do("POST", path+"/cancel", `{"cancel_at_period_end":true,"reason":"moves away"}`).want(200)

	endpoint, _ := hooks.endpoint(`{"url":"` + erp.URL + `/in?token=s3cret"}`)
	hooks.do("POST", endpoint+"/rotate-secret", "").want(200)
	delivery := hooks.do("POST", endpoint+"/test", "").want(202).text("data", "deliveryId")
	settle(t, server)
	hooks.do("POST", endpoint+"/deliveries/"+delivery+"/retry", "").want(202)
	key := hooks.do("POST", keysPath, `{"name":"erp","scopes":["charges:read"]}`).want(201)
	rotated := hooks.do("POST", keysPath+"/"+key.text("data", "id")+"/rotate", `{"graceDays":3}`).want(200)
	hooks.do("DELETE", keysPath+"/"+key.text("data", "id"), "").want(204)
	if err := server.RevokeToken(rotated.text("data", "token")); err != nil {
		t.Fatal(err)
	}
	server.Clock().Advance(40 * 24 * time.Hour)

	want := []string{
		"2026-05-04 request subscriptions.create subscription >active",
		"2026-05-04 request subscriptions.pause subscription active>paused behavior void",
		"2026-05-04 request subscriptions.resume subscription paused>active",
		"2026-05-04 request subscriptions.change_plan subscription active>active grows",
		"2026-05-04 payment payment failed subscription active>past_due",
		"2026-05-04 payment payment succeeded subscription past_due>active",
		"2026-05-04 request billing_accounts.suspend account active>suspended fraud",
		"2026-05-04 request billing_accounts.reactivate account suspended>active cleared",
		"2026-05-04 request subscriptions.cancel subscription active>active cancel_at_period_end true moves away",
		"2026-05-04 request webhook_endpoints.rotate_secret endpoint >",
		"2026-05-04 request webhook_deliveries.retry delivery failed>pending",
		"2026-05-04 request api_keys.rotate key active>rotated",
		"2026-05-04 request api_keys.revoke key rotated>revoked",
		"2026-05-04 command token revoke key active>revoked",
		"2026-06-04 clock period ended subscription active>canceled moves away",
	}
	check := func(server *sandbox.Server) {
		t.Helper()
		var got []string
		for _, e := range trail(t, server) {
			got = append(got, told(e))
			text := fmt.Sprintf("%+v", e)
			for _, secret := range []string{"s3cret", key.text("data", "token"), rotated.text("data", "token")} {
				if strings.Contains(text, secret) {
					t.Errorf("%s shows a credential", text)
				}
			}
			if e.Action == "subscriptions.pause" && (e.Client != "crm/3" || e.Name != "ana-pro" || e.ID != id ||
				e.RequestID != paused.header.Get("Request-Id") || !strings.HasPrefix(server.BillingToken(), e.Token) ||
				e.Token == "") {
				t.Errorf("the pause is recorded as %+v", e)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("the trail is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	check(server)
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	options.Start = time.Time{}
	again := start(t, options)
	check(again)
	if err := again.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := trail(t, again); len(left) != 0 {
		t.Errorf("after a reset: %+v", left)
	}
}
