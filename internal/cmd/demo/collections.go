package main

import (
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// actionBlock is in no example folder: Terraform before 1.14 has no actions,
// and takes the block for a mistake.
//
//go:embed collections/action.tf
var actionBlock string

const (
	endpoint = "billing_webhook_endpoint.erp"
	key      = "billing_api_key.erp"

	// actionMinor is the oldest 1.x that has actions.
	actionMinor = 14
)

// collections is the life of the secrets that others hold: what webhooks are
// signed with, and an API key.
var collections = story{name: "collections", folder: "examples/collections", steps: []step{
	{"Apply registers a webhook endpoint and creates an API key; a signed event arrives", registerEndpoint},
	{"The receiver's own lines and the provider's function find it genuine, and a changed one not", verifyEvent},
	{"The secret is rotated: the plan warns, and the receiver, which still verifies with the old one, rejects the event",
		rotateSecret},
	{"With the new secret the rejected event arrives again, and the next one verifies with the new secret only",
		verifyRotated},
	{"The scopes of the API key change: a new key with them is created in place, and the old one works too", changeScopes},
	{"The clock passes the grace period: the API rejects the old key with 401, the next plan is empty", passGrace},
	{"Two days before it expires, the plan renews the key: the new one works, and so does the old", renewKey},
	{"An action fires a test event and follows it (Terraform 1.14 and newer)", invokeAction},
	{"Destroy revokes both keys and removes the endpoint", endCollections},
}}

func registerEndpoint(ctx context.Context, s *stage) error {
	plan, err := s.terraform.plan(ctx)
	if err != nil {
		return err
	}
	s.say.quote(plan.headlines())
	if err := plan.expect("create", endpoint, key); err != nil {
		return err
	}
	if _, err := s.terraform.apply(ctx); err != nil {
		return err
	}
	_, err = s.charge(ctx, http.StatusOK)
	return err
}

func verifyEvent(ctx context.Context, s *stage) error {
	event := s.receiver.first()
	secret, err := s.terraform.output(ctx, "webhook_secret")
	if err != nil {
		return err
	}
	if err := s.expectGenuine("receiver", []bool{event.genuine(secret), event.changed().genuine(secret)}, true,
		false); err != nil {
		return err
	}
	s.receiver.trust(secret)
	s.remember("secret", secret)
	s.say.tell("The receiver stores the secret, and from now on rejects events that are not signed with it.")
	return s.expectFunction(ctx, []delivery{event, event.changed()}, true, false)
}

func rotateSecret(ctx context.Context, s *stage) error {
	if err := s.edit("webhook.tf", `quarter = "2026-Q3"`, `quarter = "2026-Q4"`); err != nil {
		return err
	}
	plan, err := s.terraform.plan(ctx)
	if err != nil {
		return err
	}
	s.say.quote(plan.details())
	if err := plan.expect("update", endpoint); err != nil {
		return err
	}
	if err := plan.expectAttributes(endpoint, "rotate_secret_when_changed", "secret"); err != nil {
		return err
	}
	if err := s.expectWarning(plan.text, " is rotated, and the old one is invalid immediately"); err != nil {
		return err
	}
	if _, err := s.terraform.apply(ctx); err != nil {
		return err
	}
	refused, err := s.charge(ctx, http.StatusUnauthorized)
	s.remember("rejected", refused.eventID)
	return err
}

func verifyRotated(ctx context.Context, s *stage) error {
	secret, err := s.terraform.output(ctx, "webhook_secret")
	if err != nil {
		return err
	}
	s.receiver.trust(secret)
	now, err := s.sandbox.advance(ctx, 4*time.Minute)
	if err != nil {
		return err
	}
	s.say.tell("The receiver has the new secret. The sandbox's clock moves 4 minutes, to %s.", now)
	again, err := s.arrival(ctx, "charge.paid", http.StatusOK)
	if err != nil {
		return err
	}
	if again.eventID != s.remembered["rejected"] || again.attempt != "2" {
		return fmt.Errorf("attempt %s of event %s is not the second attempt of event %s", again.attempt, again.eventID,
			s.remembered["rejected"])
	}
	paid, err := s.charge(ctx, http.StatusOK)
	if err != nil {
		return err
	}
	if err := s.expectGenuine("receiver", []bool{paid.genuine(secret), paid.genuine(s.remembered["secret"])}, true,
		false); err != nil {
		return err
	}
	s.say.tell("The function knows the new secret. It is asked about this event, and about the first one, which the old " +
		"secret signed.")
	return s.expectFunction(ctx, []delivery{paid, s.receiver.first()}, true, false)
}

func changeScopes(ctx context.Context, s *stage) error {
	if err := s.edit("key.tf", `"webhook_deliveries:*"]`, `"webhook_deliveries:*", "charges:read"]`); err != nil {
		return err
	}
	return s.newKey(ctx, "scopes")
}

func renewKey(ctx context.Context, s *stage) error {
	now, err := s.sandbox.advance(ctx, 85*24*time.Hour)
	if err != nil {
		return err
	}
	s.say.tell("The sandbox's clock moves 85 days, to %s.", now)
	return s.newKey(ctx)
}

// newKey plans a new key in place, for which no argument but these changes, and applies it: both keys work.
func (s *stage) newKey(ctx context.Context, arguments ...string) error {
	old, err := s.terraform.output(ctx, "erp_key")
	if err != nil {
		return err
	}
	s.remember("token", old)
	plan, err := s.terraform.plan(ctx)
	if err != nil {
		return err
	}
	s.say.quote(plan.details())
	if err := plan.expect("update", key); err != nil {
		return err
	}
	if err := plan.expectAttributes(key, append(arguments, "id", "key_prefix", "previous_keys", "rotated_at",
		"rotation_due_at", "source", "token")...); err != nil {
		return err
	}
	if _, err := s.terraform.apply(ctx); err != nil {
		return err
	}
	return s.expectKeys(ctx, http.StatusOK, http.StatusOK)
}

func passGrace(ctx context.Context, s *stage) error {
	// A minute more: the Date of a response has whole seconds, so a key may count as valid for up to a second longer.
	now, err := s.sandbox.advance(ctx, 3*24*time.Hour+time.Minute)
	if err != nil {
		return err
	}
	s.say.tell("The sandbox's clock moves 3 days and a minute, to %s.", now)
	if err := s.expectKeys(ctx, http.StatusOK, http.StatusUnauthorized); err != nil {
		return err
	}
	return s.planEmpty(ctx)
}

func invokeAction(ctx context.Context, s *stage) error {
	if !atLeast(s.terraform.version, actionMinor) {
		return fmt.Errorf("%w: this is Terraform %s", errLeftOut, s.terraform.version)
	}
	if err := s.write("action.tf", actionBlock); err != nil {
		return err
	}
	if _, err := s.terraform.plan(ctx, "-invoke=action.billing_webhook_test.erp"); err != nil {
		return err
	}
	said, err := s.terraform.apply(ctx)
	if err != nil {
		return err
	}
	for line := range strings.Lines(said) {
		if strings.Contains(line, "billing_webhook_test") || strings.Contains(line, "delivery ") {
			s.say.quote([]string{strings.TrimSpace(line)})
		}
	}
	_, err = s.arrival(ctx, "webhook.test", http.StatusOK)
	return err
}

func endCollections(ctx context.Context, s *stage) error {
	token, err := s.terraform.output(ctx, "erp_key")
	if err != nil {
		return err
	}
	plan, err := s.terraform.plan(ctx, "-destroy")
	if err != nil {
		return err
	}
	s.say.quote(plan.headlines())
	if err := plan.expect("delete", endpoint, key); err != nil {
		return err
	}
	changed, err := s.applyWatched(ctx)
	if err != nil {
		return err
	}
	// The two resources are destroyed at the same time.
	slices.Sort(changed)
	wanted := []string{"api_keys.revoke", "api_keys.revoke", "webhook_endpoints.delete"}
	if !slices.Equal(changed, wanted) {
		return fmt.Errorf("the service was asked for %v, not for %v", changed, wanted)
	}
	return s.expectKey(ctx, "last", token, http.StatusUnauthorized)
}
