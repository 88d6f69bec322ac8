package claims

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

func subscriptionCreateClaims() []Claim {
	const source = "Recurring billing §4 Subscription create, §2 Subscription; wire contract: subscriptions.create"
	return []Claim{
		otherwise("The creation of a subscription fails, or attributes that the service sets are null.").restsOn(53),
		claim(201, source,
			"A subscription to a plan has every documented member, amounts as integers, and times in UTC.",
			func(p *probe) {
				account, _ := p.payer()
				_, a := p.subscription(object{"billing_account_id": account})
				a.wantPresent("data", subscriptionMembers...)
				a.want("data.billing_account_id", account).want("data.plan_id", p.plan(0)).want("data.cancel_at_period_end", false)
				a.wantMatch("data.id", uuidForm).wantMatch("data.public_id", uuidForm)
				for _, member := range []string{"current_period_start", "current_period_end", "cycle_billing_date",
					"created_at", "updated_at"} {
					a.wantMatch("data."+member, timeForm)
				}
				for _, member := range []string{"external_id", "trial_start", "trial_end", "canceled_at", "cancellation_reason",
					"discount_percent", "notes"} {
					a.want("data."+member, nil)
				}
				if a.at("data.recurring_amount_cents") != nil {
					a.integer("data.recurring_amount_cents")
				}
				for _, member := range []string{"allow_pause", "allow_cancel"} {
					if _, ok := a.at("data." + member).(bool); !ok {
						a.failf("data.%s is %s, want true or false", member, show(a.at("data."+member)))
					}
				}
			}),
		claim(202, source+" (first status)", "Without a trial, the status is active.", func(p *probe) {
			_, a := p.subscription(nil)
			a.want("data.status", "active")
		}),
		otherwise("The argument differs in every plan. Set the value that the service returns, or use " +
			"ignore_changes.").restsOn(53),
		claim(203, source, "Every field that was sent is returned as it was sent and reads back the same.", func(p *probe) {
			fields := subscriptionFields(unique())
			path, a := p.subscription(fields)
			a.wantFields("data", fields)
			p.get(path).wantStatus(http.StatusOK).wantFields("data", fields)
		}),
		claim(204, source, "The ids of a company, a product group and a discount code are returned as they were sent.",
			func(p *probe) {
				for _, field := range []string{"company_id", "product_group_id", "discount_code_id"} {
					id := uuid.NewString()
					path, a := p.subscription(object{field: id})
					a.want("data."+field, id)
					p.get(path).wantStatus(http.StatusOK).want("data."+field, id)
				}
			}),
		otherwise("A subscription with only items cannot be created. Set plan_id."),
		claim(205, source+" (plan_id null or absent with items)",
			"Items are accepted without a plan, plan_id absent or null; plan_id is then null.", func(p *probe) {
				account, _ := p.payer()
				body := object{"billing_account_id": account, "billing_cycle": "monthly", "collection_method": "manual_charge",
					"items": []object{p.item(0, nil)}}
				p.post(subscriptionsPath, body).wantStatus(http.StatusCreated).want("data.plan_id", nil)
				p.post(subscriptionsPath, merged(body, object{"plan_id": nil})).wantStatus(http.StatusCreated).want("data.plan_id",
					nil)
			}).restsOn(53),
		otherwise("A trial differs in every plan, or does not start. Use the other of trial_end and "+
			"trial_period_days.").restsOn(53, 202),
		claim(206, source+" (first status)", "trial_period_days counts from creation; the status is trialing.",
			func(p *probe) {
				path, a := p.subscription(object{"trial_period_days": 14})
				a.want("data.status", "trialing").wantMatch("data.trial_start", timeForm).wantMatch("data.trial_end", timeForm)
				created := a.time("data.created_at")
				a.wantMoment("data.trial_start", created, prompt).wantMoment("data.trial_end", created.AddDate(0, 0, 14), prompt)
				p.get(path).wantStatus(http.StatusOK).want("data.status", "trialing").want("data.trial_end", a.at("data.trial_end"))
			}),
		claim(207, source, "trial_end may have any offset and is returned in UTC; the status is trialing.", func(p *probe) {
			account, now := p.payer()
			end := now.Add(21 * 24 * time.Hour).Truncate(time.Second)
			_, a := p.subscription(object{
				"billing_account_id": account, "trial_end": end.In(time.FixedZone("", -3*60*60)).Format(time.RFC3339),
			})
			a.want("data.status", "trialing").wantMatch("data.trial_end", timeForm).wantMoment("data.trial_end", end, 0)
		}).restsOn(62),
		otherwise("The service rejects a value that the provider accepts. Use another value."),
		claim(210, source, "Every documented value of the enumerations is accepted, including null for collection_method.",
			func(p *probe) {
				account, _ := p.payer()
				for _, field := range slices.Sorted(maps.Keys(subscriptionEnums)) {
					for _, value := range subscriptionEnums[field] {
						_, a := p.subscription(object{"billing_account_id": account, field: value})
						a.want("data."+field, value)
					}
				}
			}).restsOn(53).reprices(),
		otherwise("Attributes of a new subscription change in the plan after its creation."),
		claim(211, "Recurring billing §2 Subscription; wire contract: subscriptions.get",
			"A read returns the same subscription as the creation.", func(p *probe) {
				for _, fields := range []object{nil, {"trial_period_days": 7}} {
					path, a := p.subscription(fields)
					p.get(path).wantStatus(http.StatusOK).want("data", a.at("data"))
				}
			}).restsOn(53),
	}
}

// prompt is the time that a service may take for an operation, when a claim compares its clock at two times.
const prompt = time.Minute

// subscriptionFields returns the fields of a create request other than ids, trial and items.
func subscriptionFields(word string) object {
	return object{
		"external_id": word, "billing_cycle": "quarterly", "collection_method": "manual_invoice",
		"proration_behavior": "none", "nfe_issuance_policy": "on_full_payment", "notes": "contrato 87, segunda via 🛠",
		"custom_metadata": object{"contract": object{"number": 87, "signed": true}, "reviewed_by": nil},
	}
}

// subscriptionEnums lists the enumerations in a creation and an update.
var subscriptionEnums = map[string][]any{
	"billing_cycle":       {"monthly", "quarterly", "semiannual", "annual"},
	"collection_method":   {"charge_automatically", "manual_charge", "manual_invoice", nil},
	"proration_behavior":  {"create_prorations", "none", "always_invoice"},
	"nfe_issuance_policy": {"disabled", "on_finalization", "on_full_payment", "per_installment"},
}

func subscriptionRefusalClaims() []Claim {
	const create = "Recurring billing §4 Subscription create, §7 Errors; wire contract: subscriptions.create " +
		"(validation failure)"
	return []Claim{
		otherwise("An apply that fails may have created a subscription. Look for it before you apply again."),
		claim(228, create, "A rejected creation of a subscription has no effect.", func(p *probe) {
			account, _ := p.payer()
			p.post(subscriptionsPath, object{"billing_account_id": account, "plan_id": p.plan(0), "billing_cycle": "weekly"}).
				wantInvalid("billing_cycle")
			p.get(subscriptionsPath, "billing_account_id", account).wantStatus(http.StatusOK).want("meta.total", 0)
		}).restsOn(53, 101),
		otherwise("An apply with a taken external_id does not name the subscription to import, or " +
			"creates another."),
		claim(229, "Wire contract: subscriptions.create (same external_id twice)",
			"A taken external_id is rejected with the id of the other subscription, in a creation and in an "+
				"update.", func(p *probe) {
				word := unique()
				account, _ := p.payer()
				path, first := p.subscription(object{"billing_account_id": account, "external_id": word})
				second, _ := p.subscription(object{"billing_account_id": account})
				p.post(subscriptionsPath, object{"billing_account_id": account, "plan_id": p.plan(0), "external_id": word}).
					wantTaken(first.text("data.id"))
				p.patch(second, object{"external_id": word}).wantTaken(first.text("data.id"))
				p.patch(path, object{"external_id": word}).wantStatus(http.StatusOK).want("data.external_id", word)
			}).restsOn(53, 110),
		otherwise("A subscription that was deleted elsewhere causes an error in the plan, and is not recreated."),
		claim(233, "Recurring billing §7 Errors; wire contract: subscriptions.get",
			"Every operation on an unknown subscription returns 404.", func(p *probe) {
				path := subscriptionPath(nobody)
				for _, a := range []*response{
					p.get(path), p.patch(path, object{"notes": "depois"}), p.delete(path),
					p.post(path+"/pause", object{}), p.post(path+"/resume", object{}), p.post(path+"/cancel", object{}),
					p.post(path+"/change-plan", object{"plan_id": p.plan(0)}), p.post(path+"/invoices", object{}),
					p.put(path+"/items", object{"items": []object{p.item(0, nil)}}),
				} {
					a.wantStatus(http.StatusNotFound).wantError("")
				}
			}).restsOn(5, 53),
	}
}

func subscriptionUpdateClaims() []Claim {
	const source = "Recurring billing §4 Subscription update; wire contract: subscriptions.update"
	return []Claim{
		otherwise("A change of one argument changes others, or does not take effect and remains in every " +
			"plan.").restsOn(53),
		claim(241, source, "Each field without effect on charges can be changed alone, without changing another.",
			func(p *probe) {
				word := unique()
				path, created := p.subscription(subscriptionFields(word))
				before := created.at("data")
				fields := object{
					"external_id": word + "-b", "nfe_issuance_policy": "per_installment", "allow_pause": false, "allow_cancel": false,
					"notes": "reajuste", "custom_metadata": object{"contract": object{"number": 88}},
				}
				for _, field := range slices.Sorted(maps.Keys(fields)) {
					a := p.patch(path, object{field: fields[field]}).wantStatus(http.StatusOK).want("data."+field, fields[field])
					a.wantKept(subscriptionMembers, before, field)
					before = a.at("data")
				}
				p.get(path).wantStatus(http.StatusOK).wantFields("data", fields)
			}),
		claim(242, source, "The fields that affect billing can be changed.", func(p *probe) {
			path, _ := p.subscription(nil)
			fields := object{"billing_cycle": "annual", "collection_method": "manual_invoice", "proration_behavior": "none"}
			for _, field := range slices.Sorted(maps.Keys(fields)) {
				p.patch(path, object{field: fields[field]}).wantStatus(http.StatusOK).want("data."+field, fields[field])
			}
			p.get(path).wantStatus(http.StatusOK).wantFields("data", fields)
		}).reprices(),
		otherwise("An argument that was removed remains in every plan. Set another value instead of removing it."),
		claim(243, source+" (null clears)", "null clears every nullable field.", func(p *probe) {
			path, _ := p.subscription(subscriptionFields(unique()))
			p.patch(path, object{"discount_percent": 10}).wantStatus(http.StatusOK)
			for _, field := range []string{"external_id", "collection_method", "discount_code_id", "discount_percent",
				"nfe_issuance_policy", "notes"} {
				p.patch(path, object{field: nil}).wantStatus(http.StatusOK).want("data."+field, nil)
				p.get(path).wantStatus(http.StatusOK).want("data."+field, nil)
			}
		}).restsOn(53).reprices(),
		otherwise("discount_percent differs in every plan. Set it as the service returns it, or use " +
			"ignore_changes."),
		claim(244, source+" (discount_percent)",
			"A percent is sent as a number and returned as a decimal string with two decimal places.", func(p *probe) {
				path, _ := p.subscription(nil)
				for _, percent := range []float64{10, 12.5, 33.33, 0, 100} {
					text := strconv.FormatFloat(percent, 'f', 2, 64)
					p.patch(path, object{"discount_percent": percent}).wantStatus(http.StatusOK).want("data.discount_percent", text)
					p.get(path).wantStatus(http.StatusOK).want("data.discount_percent", text)
				}
			}).restsOn(53).reprices(),
		otherwise("Keys of custom_metadata are lost or remain, depending on custom_metadata_mode: use the mode " +
			"that works."),
		claim(246, "Recurring billing §4 custom_metadata_mode; wire contract: subscriptions.update",
			"custom_metadata is replaced unless the mode is merge.", func(p *probe) {
				path, _ := p.subscription(object{"custom_metadata": object{"a": object{"b": 1, "c": 2}, "d": 3}})
				checkMetadataModes(p, path)
			}).restsOn(53, 83),
	}
}

func subscriptionItemClaims() []Claim {
	const list = "Recurring billing §4 Subscription create (items); wire contract: subscriptions.items.list"
	const sync = "Recurring billing §4 Subscription create (items); wire contract: subscriptions.items.sync"
	return []Claim{
		otherwise("items cannot be read, or differ in every plan. If the list is 404 or 405, items "+
			"are not refreshed.").restsOn(53, 205),
		claim(261, list, "The items of a creation are listed in the list envelope, each with its own id.", func(p *probe) {
			items := []object{p.item(0, object{"quantity": 2, "unit_amount_subcents": 0}),
				p.item(1, object{"quantity": 3, "unit_amount_subcents": 1050125})}
			path, _ := p.subscription(object{"plan_id": nil, "items": items})
			a := p.listItems(path).wantStatus(http.StatusOK).wantSet(items...).want("meta.total", 2)
			for _, member := range []string{"meta.page", "meta.per_page", "meta.total_pages"} {
				a.integer(member)
			}
			if a.text("data.0.id") == a.text("data.1.id") {
				a.failf("two items have the same id")
			}
		}),
		claim(262, list, "quantity defaults to 1 and unit_amount_subcents to null.", func(p *probe) {
			path, _ := p.subscription(object{"plan_id": nil, "items": []object{p.item(0, nil)}})
			p.items(path).want("data.0.quantity", 1).want("data.0.unit_amount_subcents", nil)
		}),
		otherwise("A change of items does not have the planned effect, and remains in every plan. Remove items " +
			"and use plan_id.").restsOn(53),
		claim(263, sync+" (the whole wanted set)",
			"A sync adds, changes and removes items until they match the request, in any order.", func(p *probe) {
				path, _ := p.subscription(object{"plan_id": nil, "items": []object{p.item(0, nil), p.item(1,
					object{"quantity": 2})}})
				for _, wanted := range [][]object{
					{p.item(1, object{"quantity": 5, "unit_amount_subcents": 990000}), p.item(2, nil)},
					{p.item(2, nil), p.item(1, object{"quantity": 5, "unit_amount_subcents": 990000})},
					{p.item(1, nil)},
				} {
					p.put(path+"/items", object{"items": wanted}).wantStatus(http.StatusOK).wantSet(wanted...)
					p.items(path).wantSet(wanted...)
				}
			}).restsOn(205, 262).reprices(),
		claim(264, sync+" (the whole wanted set)", "An empty set removes all items from a subscription to a plan.",
			func(p *probe) {
				path, _ := p.subscription(object{"items": []object{p.item(0, nil)}})
				p.put(path+"/items", object{"items": []object{}}).wantStatus(http.StatusOK).wantSet()
				p.items(path).wantSet().want("meta.total", 0)
			}).restsOn(261).reprices(),
	}
}

// wantSet fails unless data contains exactly those items, in any order.
func (a *response) wantSet(wanted ...object) *response {
	form := func(at func(string) any) string {
		return fmt.Sprint(at("product_id"), " ", at("price_id"), " x", at("quantity"), " at ",
			show(at("unit_amount_subcents")))
	}
	got, want := []string{}, []string{}
	unpriced := map[any]bool{}
	for _, item := range wanted {
		full := response{body: asJSON(merged(object{"quantity": 1, "unit_amount_subcents": nil}, item))}
		unpriced[full.at("price_id")] = full.at("unit_amount_subcents") == nil
		want = append(want, form(full.at))
	}
	for i := range a.list("data") {
		item := "data." + strconv.Itoa(i) + "."
		a.wantMatch(item+"id", uuidForm)
		got = append(got, form(func(member string) any {
			if member == "unit_amount_subcents" && unpriced[a.at(item+"price_id")] && a.unset(item+member) {
				return nil
			}
			return a.at(item + member)
		}))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		a.failf("the items are %q, want %q", got, want)
	}
	return a
}

// listItems reads the first page of a subscription's items.
func (p *probe) listItems(path string) *response {
	return p.get(path+"/items", "per_page", strconv.Itoa(p.maxPerPage()))
}

// items is listItems. If a service may not list items, it checks nothing about them.
func (p *probe) items(path string) *response {
	a := p.listItems(path)
	if (a.status == http.StatusNotFound || a.status == http.StatusMethodNotAllowed) &&
		p.target.accepts.accept(unlistedItems) {
		return &response{p: &probe{}}
	}
	return a.wantStatus(http.StatusOK)
}

func pauseClaims() []Claim {
	const pause = "Recurring billing §2 Subscription, §4 Subscription pause; wire contract: subscriptions.pause"
	const resume = "Recurring billing §2 Subscription; wire contract: subscriptions.resume"
	return []Claim{
		otherwise("A pause block fails, or differs in every plan. Remove the block and pause elsewhere.").restsOn(53),
		claim(271, pause,
			"A paused subscription has the status, the time, and pause_collection and resumes_at as requested.",
			func(p *probe) {
				path, created := p.subscription(nil)
				until := created.time("data.created_at").Add(10 * 24 * time.Hour).Truncate(time.Second)
				sent := until.In(time.FixedZone("", -3*60*60)).Format(time.RFC3339)
				a := p.post(path+"/pause", object{"behavior": "void", "resumes_at": sent}).wantStatus(http.StatusOK)
				for _, b := range []*response{a, p.get(path).wantStatus(http.StatusOK)} {
					b.want("data.status", "paused").want("data.pause_collection.behavior", "void").
						wantMatch("data.paused_at", timeForm)
					b.wantMoment("data.resumes_at", until, 0).wantMoment("data.pause_collection.resumes_at", until, 0)
				}
				a.wantKept(subscriptionMembers, created.at("data"), "status")
			}).restsOn(202),
		claim(272, pause,
			"behavior defaults to mark_uncollectible, and resumes_at to null.",
			func(p *probe) {
				path, _ := p.subscription(nil)
				a := p.post(path+"/pause", object{}).wantStatus(http.StatusOK).want("data.status", "paused")
				a.want("data.pause_collection.behavior", "mark_uncollectible").wantAbsent("data.resumes_at").
					wantAbsent("data.pause_collection.resumes_at")
			}).restsOn(202, 271),
		claim(273, pause, "Every documented behavior is accepted.", func(p *probe) {
			for _, behavior := range []string{"mark_uncollectible", "keep_as_draft", "void"} {
				path, _ := p.subscription(nil)
				p.post(path+"/pause", object{"behavior": behavior}).wantStatus(http.StatusOK).want("data.pause_collection.behavior",
					behavior)
			}
		}).restsOn(271),
		claim(275, "Recurring billing §3 Subscription status (any state); wire contract: subscriptions.pause",
			"A paused subscription can be paused again with other values.", func(p *probe) {
				path, created := p.subscription(nil)
				until := created.time("data.created_at").Add(10 * 24 * time.Hour).Truncate(time.Second)
				p.post(path+"/pause", object{"behavior": "void"}).wantStatus(http.StatusOK)
				a := p.post(path+"/pause", object{"behavior": "keep_as_draft", "resumes_at": until.Format(time.RFC3339)}).
					wantStatus(http.StatusOK)
				a.want("data.status", "paused").want("data.pause_collection.behavior", "keep_as_draft").
					wantMoment("data.resumes_at",
						until, 0)
			}).restsOn(202, 271),
		otherwise("Removing the pause block does not resume the subscription, and remains in every plan. "+
			"Resume it elsewhere.").restsOn(53, 202),
		claim(278, resume, "A resumed subscription is active again, with resumed_at set and pause_collection null.",
			func(p *probe) {
				path, _ := p.subscription(nil)
				p.post(path+"/pause", object{}).wantStatus(http.StatusOK)
				a := p.resume(path).wantStatus(http.StatusOK)
				for _, b := range []*response{a, p.get(path).wantStatus(http.StatusOK)} {
					b.want("data.status", "active").wantAbsent("data.pause_collection").wantMatch("data.resumed_at", timeForm)
				}
			}).restsOn(271),
		claim(279, resume+" (while the trial runs)",
			"A subscription that is resumed during its trial is trialing again.", func(p *probe) {
				path, _ := p.subscription(object{"trial_period_days": 14})
				p.post(path+"/pause", object{}).wantStatus(http.StatusOK).want("data.status", "paused")
				p.resume(path).wantStatus(http.StatusOK).want("data.status", "trialing")
			}),
	}
}

// wantAbsent fails unless the member at path is null or missing.
func (a *response) wantAbsent(path string) *response {
	if got := a.at(path); got != nil && got != (any)(missing{}) {
		a.failf("%s is %s, want null", path, show(got))
	}
	return a
}

// resume posts without a body, because the operation has none.
func (p *probe) resume(path string) *response {
	return p.send(call{method: http.MethodPost, path: path + "/resume"})
}

func changePlanClaims() []Claim {
	const source = "Recurring billing §4 Subscription change plan; wire contract: subscriptions.change_plan"
	return []Claim{
		otherwise("A change of plan_id or plan_change fails, takes effect at another time, or remains in every " +
			"plan.").restsOn(53),
		claim(281, source, "By default, a change of plan is immediate: plan_id is the new one.",
			func(p *probe) {
				for _, timing := range []object{nil, {"timing": "immediate", "reason": "mais contas"}} {
					path, created := p.subscription(nil)
					a := p.post(path+"/change-plan", merged(timing, object{"plan_id": p.plan(1)})).wantStatus(http.StatusOK)
					a.want("data.plan_id", p.plan(1)).wantAbsent("data.metadata.pending_plan_id").
						want("data.id", created.at("data.id"))
					p.get(path).wantStatus(http.StatusOK).want("data.plan_id", p.plan(1)).want("data.status", "active")
				}
			}).restsOn(202).reprices(),
		claim(282, source+" (end_of_period)",
			"With end_of_period plan_id does not change and metadata.pending_plan_id contains the new one.", func(p *probe) {
				path, created := p.subscription(nil)
				a := p.changeLater(path)
				for _, b := range []*response{a, p.get(path).wantStatus(http.StatusOK)} {
					b.want("data.plan_id", p.plan(0)).want("data.metadata.pending_plan_id", p.plan(1))
					b.wantKept(subscriptionMembers, created.at("data"), "metadata")
				}
			}),
		claim(283, source+" (taking a pending plan change back)",
			"Changing to the current plan reverts a pending change.", func(p *probe) {
				for _, timing := range []string{"immediate", "end_of_period"} {
					path, _ := p.subscription(nil)
					p.changeLater(path)
					a := p.post(path+"/change-plan", object{"plan_id": p.plan(0), "timing": timing}).wantStatus(http.StatusOK)
					for _, b := range []*response{a, p.get(path).wantStatus(http.StatusOK)} {
						b.want("data.plan_id", p.plan(0)).wantAbsent("data.metadata.pending_plan_id")
					}
				}
			}).reprices(),
	}
}

// changeLater requests a change to the second plan at the end of the period.
func (p *probe) changeLater(path string) *response {
	body := object{"plan_id": p.plan(1), "timing": "end_of_period", "reason": "mais contas"}
	return p.post(path+"/change-plan", body).wantStatus(http.StatusOK)
}

func cancelClaims() []Claim {
	const source = "Recurring billing §3 Subscription status, §4 Subscription cancel; wire contract: subscriptions.cancel"
	return []Claim{
		otherwise("Destroying or replacing a subscription leaves it running. Cancel it elsewhere, then " +
			"remove it from the state."),
		claim(291, source, "By default, a cancellation is immediate: it sets status, time and reason.",
			func(p *probe) {
				path, created := p.subscription(nil)
				a := p.post(path+"/cancel", object{"reason": "pedido"}).wantStatus(http.StatusOK)
				for _, b := range []*response{a, p.get(path).wantStatus(http.StatusOK)} {
					b.want("data.status", "canceled").want("data.cancellation_reason", "pedido").wantMatch("data.canceled_at",
						timeForm)
					b.wantMoment("data.canceled_at", created.time("data.created_at"), prompt)
				}
			}).restsOn(53, 202),
		otherwise("cancel_at_period_end ends the subscription at another time, or is different in every "+
			"plan: do not set it.").restsOn(53, 202),
		claim(292, source+" (cancel_at_period_end)",
			"With cancel_at_period_end the status does not change and the field is true.", func(p *probe) {
				path, created := p.subscription(nil)
				a := p.post(path+"/cancel", object{"cancel_at_period_end": true}).wantStatus(http.StatusOK)
				for _, b := range []*response{a, p.get(path).wantStatus(http.StatusOK)} {
					b.want("data.status", "active").want("data.cancel_at_period_end", true)
					b.wantKept([]string{"current_period_start", "current_period_end", "plan_id"}, created.at("data"))
				}
			}),
		claim(293, source+" (cancel_at_period_end by an update)",
			"An update sets cancel_at_period_end, and reverts it, even if a cancellation request has set it.",
			func(p *probe) {
				path, _ := p.subscription(nil)
				p.patch(path, object{"cancel_at_period_end": true}).wantStatus(http.StatusOK).want("data.cancel_at_period_end",
					true).want("data.status", "active")
				p.patch(path, object{"cancel_at_period_end": false}).wantStatus(http.StatusOK).
					want("data.cancel_at_period_end", false)
				p.post(path+"/cancel", object{"cancel_at_period_end": true}).wantStatus(http.StatusOK)
				p.patch(path, object{"cancel_at_period_end": false}).wantStatus(http.StatusOK).
					want("data.cancel_at_period_end", false)
				p.get(path).wantStatus(http.StatusOK).want("data.cancel_at_period_end", false).want("data.status", "active")
			}),
		otherwise("A trialing or paused subscription cannot be destroyed. Resume it, or set deletion_policy " +
			"= \"abandon\"."),
		claim(297, source+" (any state that is not final)", "Trialing and paused subscriptions can be canceled.",
			func(p *probe) {
				trialing, _ := p.subscription(object{"trial_period_days": 14})
				p.post(trialing+"/cancel", object{}).wantStatus(http.StatusOK).want("data.status", "canceled")
				paused, _ := p.subscription(nil)
				p.post(paused+"/pause", object{}).wantStatus(http.StatusOK)
				p.post(paused+"/cancel", object{}).wantStatus(http.StatusOK).want("data.status", "canceled")
			}).restsOn(53, 202),
		otherwise("Replacing a subscription without changing its external_id fails. Change the external_id, too."),
		claim(298, "Wire contract: subscriptions.cancel (external_id of a canceled object)",
			"The external_id of a canceled subscription can be used again.", func(p *probe) {
				word := unique()
				account, _ := p.payer()
				path, _ := p.subscription(object{"billing_account_id": account, "external_id": word})
				p.post(path+"/cancel", object{}).wantStatus(http.StatusOK)
				_, again := p.subscription(object{"billing_account_id": account, "external_id": word})
				again.want("data.external_id", word)
				p.get(path).wantStatus(http.StatusOK).want("data.status", "canceled")
			}).restsOn(53, 202, 291),
		otherwise("Destroying a customer with subscriptions fails without a hint, or deletes them as well."),
		claim(301, "Wire contract: customers.delete",
			"A customer with a subscription that is not canceled cannot be deleted, and can be deleted after the cancellation.",
			func(p *probe) {
				customer, made := p.customer(object{"create_billing_account": true})
				path, _ := p.subscription(object{"billing_account_id": made.text("data.billing_account.id")})
				p.delete(customer).wantStatus(http.StatusUnprocessableEntity).wantError("customer_has_active_subscriptions")
				p.get(customer).wantStatus(http.StatusOK)
				p.post(path+"/pause", object{}).wantStatus(http.StatusOK)
				p.delete(customer).wantStatus(http.StatusUnprocessableEntity).wantError("customer_has_active_subscriptions")
				p.post(path+"/cancel", object{}).wantStatus(http.StatusOK)
				p.delete(customer).wantStatus(http.StatusOK).want("data.deleted", true)
			}).restsOn(53, 101, 121, 122, 291, 297),
	}
}

func subscriptionListClaims() []Claim {
	const list = "Recurring billing §4 Collections; wire contract: subscriptions.list"
	return []Claim{
		otherwise("Lookups by this filter read the whole list, and the provider compares every object itself: " +
			"prefer ids.").restsOn(53),
		claim(311, list,
			"The filters billing_account_id, status and plan_id return only matching subscriptions, alone and combined.",
			func(p *probe) {
				account, _ := p.payer()
				_, first := p.subscription(object{"billing_account_id": account})
				path, second := p.subscription(object{"billing_account_id": account, "plan_id": p.plan(1)})
				p.subscription(nil)
				p.get(subscriptionsPath, "billing_account_id", account).wantStatus(http.StatusOK).want("meta.total", 2)
				p.get(subscriptionsPath, "billing_account_id", nobody).wantStatus(http.StatusOK).want("meta.total", 0)
				one := p.get(subscriptionsPath, "billing_account_id", account, "plan_id", p.plan(1)).wantStatus(http.StatusOK)
				one.want("meta.total", 1).want("data.0.id", second.text("data.id"))
				p.post(path+"/pause", object{}).wantStatus(http.StatusOK)
				for status, id := range map[string]string{"active": first.text("data.id"), "paused": second.text("data.id")} {
					a := p.get(subscriptionsPath, "billing_account_id", account, "status", status).wantStatus(http.StatusOK)
					a.want("meta.total", 1).want("data.0.id", id)
				}
			}).restsOn(202),
		claim(312, list, "The filter external_id matches the whole value only.", func(p *probe) {
			word := unique()
			account, _ := p.payer()
			p.subscription(object{"billing_account_id": account, "external_id": word + "-a"})
			_, one := p.subscription(object{"billing_account_id": account, "external_id": word})
			a := p.get(subscriptionsPath, "external_id", word).wantStatus(http.StatusOK)
			a.want("meta.total", 1).want("data.0.id", one.text("data.id"))
		}).restsOn(41),
		claim(313, list, "The filter updated_at_gte includes that exact time and excludes older items.", func(p *probe) {
			account, _ := p.payer()
			_, made := p.subscription(object{"billing_account_id": account})
			updated := made.time("data.updated_at")
			for since, total := range map[time.Time]int{updated: 1, updated.Add(time.Millisecond): 0} {
				for _, zone := range []*time.Location{time.UTC, time.FixedZone("", -3*60*60)} {
					p.get(subscriptionsPath, "billing_account_id", account, "updated_at_gte", since.In(zone).Format(time.RFC3339Nano)).
						wantStatus(http.StatusOK).want("meta.total", total)
				}
			}
		}),
		otherwise("A refresh of many subscriptions misses some, or shows wrong differences. Set bulk_refresh = " +
			"false.").restsOn(53),
		claim(314, list, "A listed subscription has the same content as a single read, in the list envelope.",
			func(p *probe) {
				account, _ := p.payer()
				path, _ := p.subscription(object{"billing_account_id": account})
				a := p.get(subscriptionsPath, "billing_account_id", account).wantStatus(http.StatusOK)
				for _, member := range []string{"meta.total", "meta.page", "meta.per_page", "meta.total_pages"} {
					a.integer(member)
				}
				p.get(path).wantStatus(http.StatusOK).want("data", a.at("data.0"))
			}),
		claim(315, list, "With sort_by, walking the pages returns every subscription once, in order.", func(p *probe) {
			word := unique()
			account, _ := p.payer()
			for _, last := range []string{"-c", "-a", "-b"} {
				p.subscription(object{"billing_account_id": account, "external_id": word + last})
			}
			for i, last := range []string{"-a", "-b", "-c"} {
				a := p.get(subscriptionsPath, "billing_account_id", account, "sort_by", "external_id", "sort_order", "asc",
					"per_page", "1", "page", strconv.Itoa(i+1))
				a.wantStatus(http.StatusOK).want("meta.total", 3).want("data.0.external_id", word+last)
			}
		}).restsOn(37),
	}
}

func invoiceClaims() []Claim {
	const create = "Wire contract: subscriptions.invoice"
	const list = "Recurring billing §4 Collections; wire contract: invoices.list"
	return []Claim{
		otherwise("The action billing_subscription_invoice fails, although it created an invoice."),
		claim(321, create, "A manual invoice returns 201 and has its own id, with and without a reason.", func(p *probe) {
			path, _ := p.subscription(object{"collection_method": "manual_invoice"})
			first := p.invoice(path, object{"reason": "segunda do contrato"})
			second := p.invoice(path, object{})
			if p.err == nil && first == second {
				p.failf("two invoices of %s have the id %s", path, first)
			}
		}).restsOn(53).createsInvoices(),
		otherwise("billing_invoices reads the whole list and compares every invoice itself, or fails. Set a "+
			"limit.").restsOn(53, 321),
		claim(322, list,
			"The filter subscription_id returns the invoices of that subscription and no others, each with an id.",
			func(p *probe) {
				path, one := p.subscription(object{"collection_method": "manual_invoice"})
				other, two := p.subscription(object{"collection_method": "manual_invoice"})
				p.invoice(other, object{})
				before := p.invoices("subscription_id", two.text("data.id"))
				id := p.invoice(path, object{})
				p.invoices("subscription_id", one.text("data.id")).wantInvoice(id)
				p.invoices("subscription_id", two.text("data.id")).want("meta.total", before.at("meta.total"))
				p.invoices("subscription_id", nobody).want("meta.total", 0).want("data", []any{})
			}).createsInvoices(),
		claim(323, list, "The filter billing_account_id returns the invoices of that account and no others.",
			func(p *probe) {
				account, _ := p.payer()
				path, _ := p.subscription(object{"billing_account_id": account, "collection_method": "manual_invoice"})
				id := p.invoice(path, object{})
				p.invoices("billing_account_id", account).wantInvoice(id)
				p.invoices("billing_account_id", nobody).want("meta.total", 0).want("data", []any{})
			}).restsOn(31).createsInvoices(),
		claim(324, list, "sort_by and sort_order sort the invoices.", func(p *probe) {
			// Sorted by id, the only field that every invoice has.
			path, _ := p.subscription(nil)
			ids := []string{p.invoice(path, object{}), p.invoice(path, object{})}
			slices.Sort(ids)
			id := strings.TrimPrefix(path, subscriptionsPath+"/")
			for order, first := range map[string]string{"asc": ids[0], "desc": ids[1]} {
				p.get(invoicesPath, "subscription_id", id, "sort_by", "id", "sort_order", order, "per_page", "1").
					wantStatus(http.StatusOK).want("meta.total", 2).want("data.0.id", first)
			}
		}).restsOn(37, 322).createsInvoices(),
	}
}

func collectionClaims() []Claim {
	const list = "Recurring billing §4 Collections; wire contract: records.list"
	return []Claim{
		otherwise("billing_records cannot read plans, products or prices by name. Write their ids into the configuration."),
		claim(351, list, "A collection is listed by its name after /v1/, in the list envelope.", func(p *probe) {
			for _, collection := range []string{"plans", "products", "prices"} {
				a := p.get("/v1/"+collection, "per_page", "1").wantStatus(http.StatusOK)
				a.integer("meta.total")
				for i := range a.list("data") {
					a.text("data." + strconv.Itoa(i) + ".id")
				}
			}
		}).readsOnly(),
		otherwise("billing_records with an unknown collection fails without a clear error."),
		claim(352, list+" (a collection that the service does not have)",
			"An unknown collection returns 404 in the error shape.", func(p *probe) {
				p.get("/v1/" + unique()).wantStatus(http.StatusNotFound).wantError("")
			}).readsOnly(),
	}
}

// invoice creates an invoice manually and returns its id.
func (p *probe) invoice(path string, body object) string {
	id := p.post(path+"/invoices", body).wantStatus(http.StatusCreated).text("data.id")
	if id == "" {
		p.failf("the invoice of %s has an empty id", path)
	}
	return id
}

// wantInvoice fails unless the page contains that invoice, and all invoices on it have an id.
func (a *response) wantInvoice(id string) {
	found := false
	for i := range a.list("data") {
		found = a.text("data."+strconv.Itoa(i)+".id") == id || found
	}
	if !found {
		a.failf("the invoice %s is not listed", id)
	}
}

// invoices lists the matching invoices. A claim creates fewer than a page contains.
func (p *probe) invoices(filter, value string) *response {
	return p.get(invoicesPath, filter, value, "per_page", strconv.Itoa(p.maxPerPage())).wantStatus(http.StatusOK)
}

func clockClaims() []Claim {
	const plan = "Recurring billing §4 Subscription change plan; wire contract: subscriptions.change_plan (end_of_period)"
	const cancel = "Recurring billing §3 Subscription status; wire contract: subscriptions.cancel (cancel_at_period_end)"
	return []Claim{
		otherwise("A change with plan_change.timing = \"end_of_period\" does not take effect, or cannot be " +
			"reverted.").restsOn(53),
		claim(334, plan, "A pending change of plan takes effect at the end of the period, and is then no longer pending.",
			timed(func(p *probe) {
				path, created := p.subscription(nil)
				p.changeLater(path)
				p.passPeriod(created)
				p.get(path).wantStatus(http.StatusOK).want("data.plan_id", p.plan(1)).wantAbsent("data.metadata.pending_plan_id")
			})).movesClock(),
		claim(335, plan+" (reverted)", "A change of plan that was reverted does not take effect.", timed(func(p *probe) {
			path, created := p.subscription(nil)
			p.changeLater(path)
			p.post(path+"/change-plan", object{"plan_id": p.plan(0)}).wantStatus(http.StatusOK)
			p.passPeriod(created)
			p.get(path).wantStatus(http.StatusOK).want("data.plan_id", p.plan(0)).wantAbsent("data.metadata.pending_plan_id")
		})).reprices().movesClock(),
		otherwise("A scheduled cancellation does not end the subscription, or ends it although it was "+
			"reverted.").restsOn(53, 202),
		claim(336, cancel, "A scheduled cancellation takes effect at the end of the period, and not before.",
			timed(func(p *probe) {
				path, created := p.subscription(nil)
				p.post(path+"/cancel", object{"cancel_at_period_end": true, "reason": "pedido"}).wantStatus(http.StatusOK)
				p.advance(20 * day)
				p.get(path).wantStatus(http.StatusOK).want("data.status", "active").want("data.cancel_at_period_end", true)
				p.passPeriod(created)
				a := p.get(path).wantStatus(http.StatusOK).want("data.status", "canceled").wantMatch("data.canceled_at", timeForm)
				a.want("data.cancellation_reason", "pedido")
			})).movesClock(),
		claim(337, cancel+" (reverted)", "A scheduled cancellation that was reverted does not take effect.",
			timed(func(p *probe) {
				path, created := p.subscription(nil)
				p.post(path+"/cancel", object{"cancel_at_period_end": true}).wantStatus(http.StatusOK)
				p.patch(path, object{"cancel_at_period_end": false}).wantStatus(http.StatusOK)
				p.passPeriod(created)
				p.get(path).wantStatus(http.StatusOK).want("data.status", "active").want("data.canceled_at", nil)
			})).movesClock(),
		otherwise("A subscription stays trialing after its trial, and a check block on status fails."),
		claim(338,
			"Recurring billing §3 Subscription status, §4 Subscription create; wire contract: subscriptions.create (trial)",
			"At the end of the trial, the subscription becomes active.", timed(func(p *probe) {
				path, _ := p.subscription(object{"trial_period_days": 3})
				p.advance(2 * day)
				p.get(path).wantStatus(http.StatusOK).want("data.status", "trialing")
				p.advance(1*day + time.Hour)
				p.get(path).wantStatus(http.StatusOK).want("data.status", "active")
			})).restsOn(53, 202).movesClock(),
		otherwise("pause.resumes_at does not end the pause, or a pause without it ends anyway. Remove the block "+
			"to resume.").restsOn(53, 202, 271),
		claim(339,
			"Recurring billing §3 Subscription status, §4 Subscription pause; wire contract: subscriptions.pause (resumes_at)",
			"A pause with resumes_at ends at that time, and not before.", timed(func(p *probe) {
				path, created := p.subscription(nil)
				until := created.time("data.created_at").Add(3 * day)
				p.post(path+"/pause", object{"resumes_at": until.Format(time.RFC3339Nano)}).wantStatus(http.StatusOK)
				p.advance(2 * day)
				p.get(path).wantStatus(http.StatusOK).want("data.status", "paused")
				p.advance(1*day + time.Hour)
				a := p.get(path).wantStatus(http.StatusOK).want("data.status", "active").wantAbsent("data.pause_collection")
				a.wantMatch("data.resumed_at", timeForm)
			})).movesClock(),
		claim(340, "Recurring billing §3 Subscription status; wire contract: subscriptions.pause (manual resumption)",
			"A pause without resumes_at continues until the subscription is resumed.", timed(func(p *probe) {
				path, created := p.subscription(nil)
				p.post(path+"/pause", object{}).wantStatus(http.StatusOK)
				p.passPeriod(created)
				p.get(path).wantStatus(http.StatusOK).want("data.status", "paused")
			})).movesClock(),
	}
}

const day = 24 * time.Hour

// timed prevents a check that needs time to pass from creating objects if the clock cannot be moved.
func timed(check func(*probe)) func(*probe) {
	return func(p *probe) {
		if p.target.Advance == nil {
			p.failf("%w: a clock that can be advanced", ErrNotGiven)
			return
		}
		check(p)
	}
}

// advance advances the service's clock.
func (p *probe) advance(by time.Duration) {
	if p.err != nil {
		return
	}
	p.seen = nil
	if err := p.target.Advance(p.ctx, by); err != nil {
		p.failf("advancing the clock by %s: %w", by, err)
	}
}

// passPeriod advances the clock past the end of the period of a new subscription, by less than the shortest cycle.
func (p *probe) passPeriod(created *response) {
	p.advance(created.time("data.current_period_end").Sub(created.time("data.created_at")) + time.Hour)
}
