package contract_test

import (
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"regexp"
	"slices"
	"time"
)

var aUUID = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

func isUUID(value any) bool { text, ok := value.(string); return ok && aUUID.MatchString(text) }

func isMoment(value any) bool {
	text, _ := value.(string)
	_, err := time.Parse(time.RFC3339, text)
	return err == nil
}

func areItems(value any) bool {
	list, ok := value.([]any)
	for _, item := range list {
		sent, isOne := item.(object)
		ok = ok && isOne && len(itemRules.broken(sent)) == 0 && sent["product_id"] != nil && sent["price_id"] != nil
	}
	return ok
}

const unlimited = 1 << 62

var (
	itemRules = rules{
		"product_id": isUUID, "price_id": isUUID, "quantity": within(1, unlimited, true), "unit_amount_subcents": within(0, unlimited, true),
	}
	subscriptionRules = rules{
		"external_id": isText, "plan_id": orNull(isUUID), "discount_code_id": isUUID, "notes": orNull(isText), "custom_metadata": isObject,
		"billing_cycle":       oneOf("monthly", "quarterly", "semiannual", "annual"),
		"collection_method":   orNull(oneOf("charge_automatically", "manual_charge", "manual_invoice")),
		"proration_behavior":  oneOf("create_prorations", "none", "always_invoice"),
		"nfe_issuance_policy": oneOf("disabled", "on_finalization", "on_full_payment", "per_installment"),
	}
	subscriptionCreateRules = with(subscriptionRules, rules{
		"billing_account_id": isUUID, "company_id": isUUID, "product_group_id": isUUID, "trial_end": isMoment,
		"trial_period_days": within(0, 10_000, true), "items": areItems,
	})
	subscriptionUpdateRules = with(subscriptionRules, rules{
		"external_id": orNull(isText), "discount_code_id": orNull(isUUID), "discount_percent": orNull(within(0, 100, false)),
		"nfe_issuance_policy": orNull(subscriptionRules["nfe_issuance_policy"]), "allow_pause": isBool, "allow_cancel": isBool,
		"cancel_at_period_end": isBool, "custom_metadata_mode": isMode,
	})
	stepRules = map[string]rules{
		"pause":       {"behavior": oneOf("mark_uncollectible", "keep_as_draft", "void"), "resumes_at": isMoment},
		"resume":      {},
		"cancel":      {"cancel_at_period_end": isBool, "reason": isText},
		"change-plan": {"plan_id": isUUID, "timing": oneOf("immediate", "end_of_period"), "reason": isText},
		"invoices":    {"reason": isText},
		"items":       {"items": areItems},
	}
)

func (f *faithful) subscription(method, id, step string, sent object) reply {
	subscription, i := find(f.subscriptions, id)
	switch {
	case method == http.MethodPost && id == "":
		return f.subscribe(sent)
	case subscription == nil:
		return notFound
	case method == http.MethodDelete && subscription["status"] != "canceled":
		return refused
	case method == http.MethodDelete:
		f.subscriptions = slices.Delete(f.subscriptions, i, i+1)
		return ok(object{"deleted": true})
	case method == http.MethodPatch:
		return f.updateSubscription(subscription, sent)
	}
	wrong := stepRules[step].broken(sent)
	if _, named := sent["plan_id"]; step == "change-plan" && !named {
		wrong["plan_id"] = "is required"
	}
	if len(wrong) > 0 {
		return invalid(wrong)
	}
	subscription["updated_at"] = f.moment()
	return f.moveSubscription(subscription, step, sent)
}

func (f *faithful) subscribe(sent object) reply {
	wrong := subscriptionCreateRules.broken(sent)
	if sent["billing_account_id"] == nil {
		wrong["billing_account_id"] = "is required"
	}
	if sent["plan_id"] == nil && sent["items"] == nil {
		wrong["plan_id"] = "is required without items"
	}
	if sent["trial_end"] != nil && sent["trial_period_days"] != nil {
		wrong["trial_end"] = "excludes trial_period_days"
	}
	if len(wrong) > 0 {
		return invalid(wrong)
	}
	if answer, is := taken(f.subscriptions, sent, ""); is {
		return answer
	}
	if account, _ := find(f.accounts, sent["billing_account_id"]); account == nil || account["status"] != "active" {
		return refused
	}
	subscription := f.newSubscription(sent)
	f.subscriptions = append(f.subscriptions, subscription)
	f.setItems(subscription, sent)
	return reply{status: http.StatusCreated, body: object{"data": subscription}}
}

func (f *faithful) newSubscription(sent object) object {
	subscription := object{
		"id": newUUID(), "public_id": newUUID(), "status": "active", "billing_cycle": "monthly",
		"cancel_at_period_end": false, "proration_behavior": "create_prorations", "allow_pause": true, "allow_cancel": true,
		"metadata": object{}, "custom_metadata": object{}, "created_at": f.moment(), "updated_at": f.moment(),
	}
	for _, field := range []string{
		"external_id", "company_id", "plan_id", "product_group_id", "trial_start", "trial_end", "activated_at", "confirmed_at",
		"canceled_at", "cancellation_reason", "pause_collection", "paused_at", "resumes_at", "resumed_at", "discount_code_id",
		"discount_percent", "recurring_amount_cents", "collection_method", "nfe_issuance_policy", "proposal_id", "notes",
	} {
		subscription[field] = nil
	}
	maps.Copy(subscription, sent)
	delete(subscription, "items")
	delete(subscription, "trial_period_days")
	end := parse(sent["trial_end"])
	if number, ok := sent["trial_period_days"].(json.Number); ok {
		days, _ := number.Int64() // held to whole numbers by its rule
		end = f.now.AddDate(0, 0, int(days))
	}
	if !end.IsZero() {
		subscription["status"], subscription["trial_start"], subscription["trial_end"] = "trialing", f.moment(), moment(end)
	}
	setPeriod(subscription, f.now)
	return subscription
}

func (f *faithful) setItems(subscription, sent object) []any {
	items := []any{}
	list, _ := sent["items"].([]any)
	for _, item := range list {
		whole := object{"id": newUUID(), "quantity": 1, "unit_amount_subcents": nil}
		maps.Copy(whole, item.(object))
		items = append(items, whole)
	}
	f.items[subscription["id"]] = items
	return items
}

func (f *faithful) updateSubscription(subscription, sent object) reply {
	if wrong := subscriptionUpdateRules.broken(sent); len(wrong) > 0 {
		return invalid(wrong)
	}
	if answer, is := taken(f.subscriptions, sent, subscription["id"].(string)); is {
		return answer
	}
	for field, value := range sent {
		switch field {
		case "custom_metadata", "custom_metadata_mode":
		case "discount_percent":
			subscription[field] = nil
			if number, ok := value.(json.Number); ok {
				percent, _ := new(big.Rat).SetString(number.String()) // held to a number by its rule
				subscription[field] = percent.FloatString(2)
			}
		default:
			subscription[field] = value
		}
	}
	changeMetadata(subscription, sent)
	subscription["updated_at"] = f.moment()
	return ok(subscription)
}
