# Policies for money, over the JSON of a plan: for conftest, and for OPA in HCP Terraform.
package main

import rego.v1

# How many subscriptions one plan may end. Data overrides it: {"billing": {"max_ends": 0}}.
default max_ends := 3

max_ends := data.billing.max_ends

# HCP Terraform nests the plan.
plan := object.get(input, "plan", input)

subscriptions contains change if {
	some change in plan.resource_changes
	change.mode == "managed"
	change.type == "billing_subscription"
}

# A replaced subscription is canceled, and the new one is billed from its start.
deny contains message if {
	some change in subscriptions
	change.change.before != null
	"create" in change.change.actions
	message := sprintf("%s is replaced: the customer is billed again. Revert what forces it, or read the plan.", [change.address])
}

# A subscription that gets another address without a moved block is replaced too.
deny contains message if {
	some old in subscriptions
	old.change.actions == ["delete"]
	some new in subscriptions
	new.change.actions == ["create"]
	new.change.after.external_id == old.change.before.external_id
	old.change.before.external_id != null
	message := sprintf("%s becomes %s, and is billed again. Write a moved block.", [old.address, new.address])
}

deny contains message if {
	count(ends) > max_ends
	message := sprintf("Subscriptions that end: %d, with a limit of %d: %s.", [count(ends), max_ends, concat(", ", sort(ends))])
}

# The policy in the state decides what destroying does.
ends contains change.address if {
	some change in subscriptions
	"delete" in change.change.actions
	change.change.before.deletion_policy != "abandon"
	change.change.before.status != "canceled"
}

ends contains change.address if {
	some change in subscriptions
	change.change.after.cancel_at_period_end == true
	change.change.before.cancel_at_period_end != true
}
