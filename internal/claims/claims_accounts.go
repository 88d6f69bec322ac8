package claims

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

func accountClaims() []Claim {
	const get = "Recurring billing §2 Billing account; wire contract: billing_accounts.get"
	const list = "Recurring billing §4 Collections; wire contract: billing_accounts.list"
	return []Claim{
		otherwise("customer_id of an account is unknown after an import, and each account is read again by id."),
		claim(133, get+" (customer loaded)", "A read account contains its customer, with every documented member.",
			func(p *probe) {
				created, read := p.account(allFields(unique()))
				for _, member := range embeddedMembers {
					read.want("data.customer."+member, created.at("data.customer."+member))
				}
			}).restsOn(31, 52, 53),
		otherwise("Lookups by this filter read the whole list, and the provider compares every account itself: "+
			"prefer ids.").restsOn(31, 36, 53),
		claim(135, list, "The filter customer_id returns the accounts of that customer and no others.", func(p *probe) {
			first, _ := p.account(nil)
			p.account(nil)
			a := p.get(accountsPath, "customer_id", first.text("data.customer.id")).wantStatus(http.StatusOK)
			a.want("meta.total", 1).want("data.0.id", first.text("data.billing_account.id"))
			p.get(accountsPath, "customer_id", nobody).wantStatus(http.StatusOK).want("meta.total", 0)
		}).restsOn(133),
		claim(136, list, "The filter status excludes accounts with another status.", func(p *probe) {
			first, _ := p.account(nil)
			id := first.text("data.customer.id")
			p.get(accountsPath, "customer_id", id, "status", "active").wantStatus(http.StatusOK).want("meta.total", 1)
			p.get(accountsPath, "customer_id", id, "status", "closed").wantStatus(http.StatusOK).want("meta.total", 0)
		}).restsOn(135),
		otherwise("A refresh of many accounts misses some, or shows wrong differences. Set bulk_refresh = "+
			"false.").restsOn(31, 53, 135),
		claim(138, list, "sort_by and sort_order sort the accounts of a customer.",
			func(p *probe) {
				word := unique()
				path, _ := p.customer(nil)
				customer := strings.TrimPrefix(path, customersPath+"/")
				for _, last := range []string{"-b", "-a"} {
					p.openAccount(object{"customer": object{"id": customer}, "external_id": word + last})
				}
				for order, first := range map[string]string{"asc": "-a", "desc": "-b"} {
					p.get(accountsPath, "customer_id", customer, "sort_by", "external_id", "sort_order", order, "per_page", "1").
						wantStatus(http.StatusOK).want("meta.total", 2).want("data.0.external_id", word+first)
				}
			}).restsOn(35, 37, 54, 145),
		claim(139, list+" (customer loaded in every response)",
			"A listed account has the same content as a single read, with its customer.", func(p *probe) {
				created, read := p.account(allFields(unique()))
				listed := p.get(accountsPath, "customer_id", created.text("data.customer.id")).wantStatus(http.StatusOK)
				read.want("data", listed.at("data.0"))
			}).restsOn(133),
	}
}

// accountMembers lists the members of a billing account in Recurring billing §2 that are always returned.
var accountMembers = []string{
	"id", "public_id", "external_id", "currency", "billing_email", "payment_terms_days",
	"auto_collection", "balance_cents", "status", "suspended_at", "suspension_reason",
	"tax_exempt", "tax_exemption_certificate", "customer_tax_type", "metadata",
	"custom_metadata", "created_at", "updated_at",
}

// embeddedMembers lists the members of the customer inside a billing account in Recurring billing §2.
var embeddedMembers = []string{
	"id", "name", "external_id", "nickname", "legal_name", "document_type",
	"document_number", "birthday", "notes", "addresses", "phones", "emails",
	"websites", "tags", "custom_metadata", "created_at", "updated_at",
}

var currencyForm = regexp.MustCompile(`^[A-Z]{3}$`)

// account creates a customer with those fields and an account; it returns the responses to the creation and to a read
// of the account.
func (p *probe) account(fields object) (created, read *response) {
	_, created = p.customer(merged(fields, object{"create_billing_account": true}))
	read = p.get(accountPath(created.text("data.billing_account.id"))).wantStatus(http.StatusOK)
	return created, read
}

func accountCreateClaims() []Claim {
	const source = "Recurring billing §4 Billing account create; wire contract: billing_accounts.create"
	return []Claim{
		otherwise("The creation of an account fails, or attributes that the service sets are null."),
		claim(141, source,
			"An account can be created with only a customer; every documented member is returned, with the customer included.",
			func(p *probe) {
				path, a := p.openAccount(nil)
				a.wantPresent("data", accountMembers...).wantPresent("data.customer", embeddedMembers...)
				a.wantMatch("data.id", uuidForm).wantMatch("data.public_id", uuidForm).wantMatch("data.currency", currencyForm)
				a.wantMatch("data.created_at", timeForm).wantMatch("data.updated_at", timeForm)
				a.want("data.status", "active").want("data.payment_terms_days", 10).want("data.auto_collection", true)
				a.want("data.external_id", nil).want("data.billing_email", nil).integer("data.balance_cents")
				p.get(path).wantStatus(http.StatusOK).want("data", a.at("data"))
			}).restsOn(53, 133),
		otherwise("The argument differs in every plan. Set the value that the service returns, or use ignore_changes."),
		claim(142, source, "Every field that was sent is returned as it was sent and reads back the same.", func(p *probe) {
			fields := accountFields(unique())
			path, a := p.openAccount(fields)
			a.wantFields("data", fields)
			p.get(path).wantStatus(http.StatusOK).wantFields("data", fields)
		}).restsOn(53, 56, 141),
		otherwise("billing_email of a new account is not the customer's. Set billing_email."),
		claim(143, source,
			"billing_email defaults to the customer's email, for a new and for an existing customer.",
			func(p *probe) {
				email, other := unique()+"@correio.example", unique()+"@correio.example"
				_, a := p.openAccount(object{"customer": object{"name": unique(), "email": email}})
				a.want("data.billing_email", email)
				_, made := p.customer(object{"email": other})
				_, b := p.openAccount(object{"customer": object{"id": made.text("data.customer.id")}})
				b.want("data.billing_email", other)
			}).restsOn(53, 57, 145),
		otherwise("Accounts for customers that exist cannot be created. Let the customer create it " +
			"(create_billing_account)."),
		claim(145, source, "customer.id finds a customer by its UUID.", func(p *probe) {
			_, made := p.customer(nil)
			id := made.text("data.customer.id")
			_, a := p.openAccount(object{"customer": object{"id": id}})
			a.want("data.customer.id", id)
		}).restsOn(53),
		otherwise("An apply with a taken external_id does not say which account to import, or " +
			"creates a second one."),
		claim(154, "Wire contract: billing_accounts.create (same external_id twice)",
			"A taken external_id is rejected with the id of the other account, in a creation and in an update.",
			func(p *probe) {
				word := unique()
				path, first := p.openAccount(object{"external_id": word})
				p.post(accountsPath, object{"customer": object{"name": unique()}, "external_id": word}).
					wantTaken(first.text("data.id"))
				second, _ := p.openAccount(nil)
				p.patch(second, object{"external_id": word}).wantTaken(first.text("data.id"))
				p.patch(path, object{"external_id": word}).wantStatus(http.StatusOK).want("data.external_id", word)
			}).restsOn(53, 110),
	}
}

// openAccount creates an account, on a new customer unless the fields name one, and returns its path and the response.
func (p *probe) openAccount(fields object) (string, *response) {
	body := object{"customer": object{"name": unique()}}
	a := p.post(accountsPath, merged(body, fields)).wantStatus(http.StatusCreated)
	return accountPath(a.text("data.id")), a
}

// accountFields returns the fields of an account that a request may contain.
func accountFields(word string) object {
	return object{
		"external_id": word, "billing_email": word + "@correio.example", "payment_terms_days": 45, "auto_collection": false,
		"custom_metadata": object{"cost_center": object{"code": "mg-014"}, "route": []any{"cps-03", 7, nil}},
	}
}

func accountUpdateClaims() []Claim {
	const source = "Recurring billing §4 Billing account update; wire contract: billing_accounts.update"
	return []Claim{
		otherwise("A change of one argument changes others, or does not take effect and remains in every " +
			"plan.").restsOn(53),
		claim(161, source, "Each field of the account can be changed alone, without changing another.",
			func(p *probe) {
				path, created := p.openAccount(accountFields(unique()))
				before := created.at("data")
				word := unique()
				fields := object{
					"external_id": word, "billing_email": word + "@correio.example", "payment_terms_days": 90,
					"auto_collection": true, "custom_metadata": object{"cost_center": object{"code": "sp-002"}},
				}
				for _, field := range slices.Sorted(maps.Keys(fields)) {
					a := p.patch(path, object{field: fields[field]}).wantStatus(http.StatusOK).want("data."+field, fields[field])
					a.wantKept(accountMembers, before, field)
					before = a.at("data")
				}
				p.get(path).wantStatus(http.StatusOK).wantFields("data", fields)
			}).restsOn(141),
		claim(164, source+" (null clears)", "null clears external_id.", func(p *probe) {
			path, created := p.openAccount(accountFields(unique()))
			a := p.patch(path, object{"external_id": nil}).wantStatus(http.StatusOK).want("data.external_id", nil)
			a.wantKept(accountMembers, created.at("data"), "external_id")
		}),
		otherwise("Keys of custom_metadata are lost or remain, depending on custom_metadata_mode: use the mode " +
			"that works."),
		claim(167, "Recurring billing §4 custom_metadata_mode; wire contract: billing_accounts.update",
			"custom_metadata is replaced unless the mode is merge.", func(p *probe) {
				path, _ := p.openAccount(object{"custom_metadata": object{"a": object{"b": 1, "c": 2}, "d": 3}})
				checkMetadataModes(p, path)
			}).restsOn(53, 83),
		otherwise("An account that was deleted elsewhere causes an error in the plan, and is not recreated."),
		claim(168, "Recurring billing §7 Errors; wire contract: billing_accounts.update",
			"Every operation on an unknown account returns 404.", func(p *probe) {
				path := accountPath(nobody)
				p.get(path).wantStatus(http.StatusNotFound).wantError("")
				p.patch(path, object{"payment_terms_days": 20}).wantStatus(http.StatusNotFound).wantError("")
				for _, step := range []string{"/suspend", "/reactivate", "/close"} {
					p.post(path+step, object{"reason": "nobody"}).wantStatus(http.StatusNotFound).wantError("")
				}
				p.delete(path).wantStatus(http.StatusNotFound).wantError("")
			}).restsOn(5, 53),
	}
}

// checkMetadataModes updates {a: {b: 1, c: 2}, d: 3} in each mode.
func checkMetadataModes(p *probe, path string) {
	a := p.patch(path, object{"custom_metadata": object{"a": object{"b": nil}, "e": 4}, "custom_metadata_mode": "merge"})
	a.wantStatus(http.StatusOK).want("data.custom_metadata", object{"a": object{"b": nil, "c": 2}, "d": 3, "e": 4})
	b := p.patch(path, object{"custom_metadata": object{"a": object{"b": nil}}, "custom_metadata_mode": "replace"})
	b.wantStatus(http.StatusOK).want("data.custom_metadata", object{"a": object{"b": nil}})
	p.patch(path, object{"custom_metadata": object{"f": 5}}).wantStatus(http.StatusOK).want("data.custom_metadata",
		object{"f": 5})
	p.patch(path, object{"custom_metadata": object{}}).wantStatus(http.StatusOK).wantEmpty("data.custom_metadata")
}

func accountStatusClaims() []Claim {
	const reason = "Recurring billing §2 Billing account, §4 Billing account reason; wire contract: billing_accounts."
	return []Claim{
		otherwise("The argument status fails, or differs in every plan. Remove it and suspend elsewhere.").restsOn(53),
		claim(171, reason+"suspend", "A suspended account has the status, time and reason.", func(p *probe) {
			path, created := p.openAccount(nil)
			a := p.step(path, "suspend").wantStatus(http.StatusOK)
			a.want("data.status", "suspended").want("data.suspension_reason", "motivo de suspend")
			a.wantMatch("data.suspended_at", timeForm)
			a.wantKept(accountMembers, created.at("data"), "status", "suspended_at", "suspension_reason", "metadata")
			p.get(path).wantStatus(http.StatusOK).want("data.status", "suspended").want("data.suspended_at",
				a.at("data.suspended_at"))
		}),
		claim(172, reason+"reactivate", "A reactivated account is active again.", func(p *probe) {
			path, _ := p.openAccount(nil)
			p.step(path, "suspend").wantStatus(http.StatusOK)
			p.step(path, "reactivate").wantStatus(http.StatusOK).want("data.status", "active")
			p.get(path).wantStatus(http.StatusOK).want("data.status", "active")
		}).restsOn(171),
		otherwise("The default deletion_policy = \"close\" fails, or leaves the account open. Set " +
			"\"delete\" or \"abandon\".").restsOn(53),
		claim(175, reason+"close", "A closed account has the status closed in reads and in lists.",
			func(p *probe) {
				path, created := p.openAccount(nil)
				p.step(path, "close").wantStatus(http.StatusOK).want("data.status", "closed")
				p.get(path).wantStatus(http.StatusOK).want("data.status", "closed")
				a := p.get(accountsPath, "customer_id", created.text("data.customer.id"), "status", "closed").
					wantStatus(http.StatusOK)
				a.want("meta.total", 1).want("data.0.id", created.text("data.id")).want("data.0.status", "closed")
			}).restsOn(31),
		claim(176, "Wire contract: billing_accounts.close (closed billing account)",
			"A closed account is final: an update, a suspension and a reactivation are rejected, and it stays closed.",
			func(p *probe) {
				path, _ := p.openAccount(nil)
				p.step(path, "close").wantStatus(http.StatusOK)
				p.patch(path, object{"payment_terms_days": 20}).wantRefused()
				p.step(path, "suspend").wantRefused()
				p.step(path, "reactivate").wantRefused()
				p.get(path).wantStatus(http.StatusOK).want("data.status", "closed").want("data.payment_terms_days", 10)
			}).restsOn(101, 141, 171, 172),
		otherwise("Replacing an account without changing its external_id fails. Change the external_id, too."),
		claim(177, "Wire contract: billing_accounts.close (external_id of a closed object)",
			"The external_id of a closed account can be used again.", func(p *probe) {
				word := unique()
				path, _ := p.openAccount(object{"external_id": word})
				p.step(path, "close").wantStatus(http.StatusOK)
				again, _ := p.openAccount(object{"external_id": word})
				if p.err == nil && again == path {
					p.failf("the new account has the path of the closed one, %s", path)
				}
			}).restsOn(53),
		otherwise("An account with subscriptions cannot be destroyed before they end. Set deletion_policy = \"abandon\"."),
		claim(180, "Wire contract: billing_accounts.close (with live subscriptions)",
			"An account with a subscription that is not canceled can be closed; the subscription does not change.",
			func(p *probe) {
				account, _ := p.payer()
				path, created := p.subscription(object{"billing_account_id": account})
				p.step(accountPath(account), "close").wantStatus(http.StatusOK).want("data.status", "closed")
				p.get(path).wantStatus(http.StatusOK).wantKept(subscriptionMembers, created.at("data"))
			}).restsOn(53, 175),
		otherwise("deletion_policy = \"delete\" fails, or does not delete the account. Set \"close\" or " +
			"\"abandon\".").restsOn(53),
		claim(181, "Recurring billing §2 Envelopes; wire contract: billing_accounts.delete",
			"Deleting an account returns {data: {deleted: true}}; afterwards it returns 404 and does not appear in any list.",
			func(p *probe) {
				path, created := p.openAccount(nil)
				p.delete(path).wantStatus(http.StatusOK).want("", object{"data": object{"deleted": true}})
				p.get(path).wantStatus(http.StatusNotFound).wantError("")
				p.get(accountsPath, "customer_id", created.text("data.customer.id")).wantStatus(http.StatusOK).want("meta.total", 0)
			}).restsOn(5, 31, 36, 135, 141, 171),
		claim(182, "Wire contract: billing_accounts.delete (external_id of a deleted object)",
			"The external_id of a deleted account can be used again.", func(p *probe) {
				word := unique()
				path, _ := p.openAccount(object{"external_id": word})
				p.delete(path).wantStatus(http.StatusOK)
				p.openAccount(object{"external_id": word})
			}),
		otherwise("Lookups by this filter read the whole list, and the provider compares every account itself: " +
			"prefer ids."),
		claim(183, "Wire contract: billing_accounts.list",
			"The filter external_id matches the whole value only, and updated_at_gte excludes older items.", func(p *probe) {
				word := unique()
				p.openAccount(object{"external_id": word + "-a"})
				path, first := p.openAccount(object{"external_id": word})
				id := first.text("data.id")
				p.get(accountsPath, "external_id", word).wantStatus(http.StatusOK).want("meta.total", 1).want("data.0.id", id)
				updated := p.patch(path, object{"payment_terms_days": 20}).wantStatus(http.StatusOK).time("data.updated_at")
				for since, total := range map[time.Time]int{updated: 1, updated.Add(time.Millisecond): 0} {
					p.get(accountsPath, "external_id", word, "updated_at_gte", since.Format(time.RFC3339Nano)).
						wantStatus(http.StatusOK).want("meta.total", total)
				}
			}).restsOn(31, 36, 41, 53),
		otherwise("Changes and lists of accounts need one more request per account. Nothing fails."),
		claim(184, "Wire contract: billing_accounts.list (customer loaded in every response)",
			"The customer is included in an account that is created with it, listed, updated, suspended, reactivated or closed.",
			func(p *probe) {
				_, made := p.customer(object{"create_billing_account": true})
				customer, account := made.text("data.customer.id"), accountPath(made.text("data.billing_account.id"))
				made.want("data.billing_account.customer.id", customer)
				p.get(accountsPath, "customer_id", customer).wantStatus(http.StatusOK).want("data.0.customer.id", customer)
				p.patch(account, object{"payment_terms_days": 21}).wantStatus(http.StatusOK).want("data.customer.id", customer)
				for _, step := range []string{"/suspend", "/reactivate", "/close"} {
					p.post(account+step, object{"reason": "pendente"}).wantStatus(http.StatusOK).want("data.customer.id", customer)
				}
			}).restsOn(31, 53, 133, 135, 171, 175),
	}
}

// step posts to a transition of an account, with a reason.
func (p *probe) step(path, name string) *response {
	return p.post(path+"/"+name, object{"reason": "motivo de " + name})
}
