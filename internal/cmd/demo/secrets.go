package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// arrival waits for the next delivery of an event to which the receiver responds with this status.
func (s *stage) arrival(ctx context.Context, event string, status int) (delivery, error) {
	d, err := s.receiver.next(ctx, event, status)
	if err == nil {
		s.say.tell("The receiver gets %s, attempt %s, signed %s…, and responds with %d.", d.event, d.attempt,
			d.signature[:min(len(d.signature), 24)], d.status)
	}
	return d, err
}

// charge lets a charge be paid, and waits for its event, to which the receiver responds with this status.
func (s *stage) charge(ctx context.Context, status int) (delivery, error) {
	if _, err := s.sandbox.steer(ctx, "event", "emit", "charge.paid"); err != nil {
		return delivery{}, err
	}
	return s.arrival(ctx, "charge.paid", status)
}

// expectGenuine checks what a verifier has said of some deliveries.
func (s *stage) expectGenuine(verifier string, said []bool, wanted ...bool) error {
	if !slices.Equal(said, wanted) {
		return fmt.Errorf("the %s says genuine: %v, not %v", verifier, said, wanted)
	}
	s.say.tell("The %s says genuine: %v.", verifier, said)
	return nil
}

// expectFunction asks the provider's function about deliveries, through an
// output of the example.
func (s *stage) expectFunction(ctx context.Context, deliveries []delivery, wanted ...bool) error {
	received := make([]object, len(deliveries))
	for i, d := range deliveries {
		received[i] = object{"signature": d.signature, "body": string(d.body), "at": d.at.Unix()}
	}
	value, err := json.Marshal(received)
	if err != nil {
		return err
	}
	plan, err := s.terraform.plan(ctx, "-var", "received="+string(value))
	if err != nil {
		return err
	}
	responses, _ := plan.outputs["genuine"].([]any)
	said := make([]bool, len(responses))
	for i, response := range responses {
		said[i] = response == true
	}
	return s.expectGenuine("function", said, wanted...)
}

// expectKeys checks what the service returns to the current key and to the one
// before it.
func (s *stage) expectKeys(ctx context.Context, current, previous int) error {
	token, err := s.terraform.output(ctx, "erp_key")
	if err != nil {
		return err
	}
	if token == s.remembered["token"] {
		return errors.New("the key is still the same")
	}
	return errors.Join(s.expectKey(ctx, "new", token, current), s.expectKey(ctx, "old", s.remembered["token"], previous))
}

func (s *stage) expectKey(ctx context.Context, name, token string, wanted int) error {
	status, err := s.service.try(ctx, token)
	if err != nil {
		return err
	}
	if status != wanted {
		return fmt.Errorf("the service responded with %d to the %s key, not %d", status, name, wanted)
	}
	s.say.tell("The service responds with %d to the %s key.", status, name)
	return nil
}
