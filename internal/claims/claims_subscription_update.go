package claims

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
)

func subscriptionUpdateClaims() []Claim {
	const source = "Recurring billing §4 Subscription update; wire contract: subscriptions.update"
	return []Claim{
		claim(241, source, "Each field without effect on charges can be changed alone, and nothing else changes with it.",
			checkSubscriptionUpdateEachField),
		claim(242, source, "The fields that define how it is billed can be changed.", checkSubscriptionUpdateBilling),
		claim(243, source+" (null clears)", "null clears every field that an update may send as null.",
			checkSubscriptionNullClears),
		claim(244, source+" (discount_percent)",
			"A percent is sent as a number and returned as a decimal string with two decimal places.", checkDiscount),
		claim(245, source+" (discount_percent)",
			"A percent outside of 0 to 100, or a value that is not a number, is rejected with the name of the field.",
			checkDiscountRange),
		claim(246, "Recurring billing §4 custom_metadata_mode; wire contract: subscriptions.update",
			"custom_metadata is replaced unless the mode is merge.", checkSubscriptionMetadata),
		claim(247, source, "An update without fields changes nothing.", checkSubscriptionUpdateNothing),
	}
}

func checkSubscriptionUpdateEachField(p *probe) {
	word := unique()
	path, created := p.subscription(subscriptionFields(word))
	before := created.at("data")
	fields := object{
		"external_id": word + "-b", "nfe_issuance_policy": "per_installment", "allow_pause": false, "allow_cancel": false,
		"notes": "Reajuste em março", "custom_metadata": object{"contract": object{"number": 88}},
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		a := p.patch(path, object{field: fields[field]}).wantStatus(http.StatusOK).want("data."+field, fields[field])
		a.wantKept(subscriptionMembers, before, field)
		before = a.at("data")
	}
	p.get(path).wantStatus(http.StatusOK).wantFields("data", fields)
}

func checkSubscriptionUpdateBilling(p *probe) {
	path, _ := p.subscription(nil)
	fields := object{"billing_cycle": "annual", "collection_method": "manual_invoice", "proration_behavior": "none"}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		p.patch(path, object{field: fields[field]}).wantStatus(http.StatusOK).want("data."+field, fields[field])
	}
	p.get(path).wantStatus(http.StatusOK).wantFields("data", fields)
}

func checkSubscriptionNullClears(p *probe) {
	path, _ := p.subscription(subscriptionFields(unique()))
	p.patch(path, object{"discount_percent": 10}).wantStatus(http.StatusOK)
	for _, field := range []string{"external_id", "collection_method", "discount_code_id", "discount_percent",
		"nfe_issuance_policy", "notes"} {
		p.patch(path, object{field: nil}).wantStatus(http.StatusOK).want("data."+field, nil)
		p.get(path).wantStatus(http.StatusOK).want("data."+field, nil)
	}
}

func checkDiscount(p *probe) {
	path, _ := p.subscription(nil)
	for _, percent := range []float64{10, 12.5, 33.33, 0, 100} {
		text := strconv.FormatFloat(percent, 'f', 2, 64)
		p.patch(path, object{"discount_percent": percent}).wantStatus(http.StatusOK).want("data.discount_percent", text)
		p.get(path).wantStatus(http.StatusOK).want("data.discount_percent", text)
	}
}

func checkDiscountRange(p *probe) {
	path, _ := p.subscription(nil)
	for _, percent := range []any{-0.01, 100.01, 1000, "10", true} {
		p.patch(path, object{"discount_percent": percent}).wantInvalid("discount_percent")
	}
	p.get(path).wantStatus(http.StatusOK).want("data.discount_percent", nil)
}

func checkSubscriptionMetadata(p *probe) {
	path, _ := p.subscription(object{"custom_metadata": object{"a": object{"b": 1, "c": 2}, "d": 3}})
	checkMetadataModes(p, path)
}

func checkSubscriptionUpdateNothing(p *probe) {
	path, created := p.subscription(subscriptionFields(unique()))
	p.patch(path, object{}).wantStatus(http.StatusOK).wantKept(subscriptionMembers, created.at("data"))
}
