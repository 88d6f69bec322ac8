package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const (
	rent = "billing_finance_record.rent"

	// payablesPath lists the payables of the company that the record is of.
	payablesPath = "/v1/payables?limit=100&company_id=7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6a"
	createRecord = "finance.records.create"
)

// finance is a record of financial management next to those of others.
var finance = story{name: "finance", folder: "examples/finance", steps: []step{
	{"A plan reads the payables of a company and adds them up, and shows a new payable with its idempotency key",
		planRent},
	{"Apply creates it; the response is lost, the request is sent again with the same key, and there is one record",
		recordRent},
	{"Other systems add fields and change its amount: the plan shows the amount, and the apply reverts it", mendRent},
	{"Destroy deletes the payable, and no other", deleteRent},
}}

func planRent(ctx context.Context, s *stage) error {
	plan, err := s.terraform.plan(ctx)
	if err != nil {
		return err
	}
	s.say.quote(plan.headlines())
	for line := range strings.Lines(plan.text) {
		if strings.Contains(line, "idempotency_key") || strings.Contains(line, "+ to_pay") {
			s.say.quote([]string{strings.TrimSpace(line)})
		}
	}
	before, err := s.service.payables(ctx)
	if err != nil {
		return err
	}
	s.remember("payables", fmt.Sprint(len(before)))
	return plan.expect("create", rent)
}

func recordRent(ctx context.Context, s *stage) error {
	if _, err := s.sandbox.steer(ctx, "fault", "add", "operation="+createRecord+",drop=after,times=1"); err != nil {
		return err
	}
	if err := s.expectRequests(ctx, createRecord, createRecord); err != nil {
		return err
	}
	if err := s.expectPayables(ctx, 1); err != nil {
		return err
	}
	return s.planEmpty(ctx)
}

func mendRent(ctx context.Context, s *stage) error {
	id, err := s.rentID(ctx)
	if err != nil {
		return err
	}
	theirs := object{"amount": "1650.00", "erp_number": "AP-2211"}
	var response object
	if err := s.service.finance(ctx, http.MethodPatch, "/v1/payables/"+id, theirs, &response); err != nil {
		return err
	}
	plan, err := s.terraform.plan(ctx)
	if err != nil {
		return err
	}
	s.say.quote(plan.details())
	if err := plan.expect("update", rent); err != nil {
		return err
	}
	if err := s.expectRequests(ctx, "finance.records.update"); err != nil {
		return err
	}
	var now struct{ Data object }
	if err := s.service.finance(ctx, http.MethodGet, "/v1/payables/"+id, nil, &now); err != nil {
		return err
	}
	if now.Data["amount"] != "1500.00" || now.Data["erp_number"] != "AP-2211" {
		return fmt.Errorf("the service has %v", now.Data)
	}
	s.say.tell("The service has amount %v and erp_number %v.", now.Data["amount"], now.Data["erp_number"])
	return s.planEmpty(ctx)
}

func deleteRent(ctx context.Context, s *stage) error {
	plan, err := s.terraform.plan(ctx, "-destroy")
	if err != nil {
		return err
	}
	if err := plan.expect("delete", rent); err != nil {
		return err
	}
	if err := s.expectRequests(ctx, "finance.records.delete"); err != nil {
		return err
	}
	return s.expectPayables(ctx, 0)
}

// rentID is the id of the record that the story has made.
func (s *stage) rentID(ctx context.Context) (string, error) {
	all, err := s.service.payables(ctx)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(all, func(payable object) bool { return payable["name"] == "Office rent, January 2026" })
	if i < 0 {
		return "", fmt.Errorf("there is no payable for the rent among %d", len(all))
	}
	id, _ := all[i]["id"].(string)
	return url.PathEscape(id), nil
}

// expectPayables checks how many payables have come since the story began.
func (s *stage) expectPayables(ctx context.Context, more int) error {
	now, err := s.service.payables(ctx)
	if err != nil {
		return err
	}
	var before int
	if _, err := fmt.Sscan(s.remembered["payables"], &before); err != nil {
		return err
	}
	s.say.tell("Payables of the company at the service: %d, and %d before.", len(now), before)
	if len(now) != before+more {
		return fmt.Errorf("the company has %d payables, not %d", len(now), before+more)
	}
	return nil
}

// payables are those of the company.
func (s *service) payables(ctx context.Context) ([]object, error) {
	var response struct{ Data []object }
	err := s.finance(ctx, http.MethodGet, payablesPath, nil, &response)
	return response.Data, err
}
