package billing

import (
	"context"
	"errors"
	"iter"
)

var errPending = errors.New("not built yet")

func (s *Service) CreateCustomer(ctx context.Context, c CustomerCreate) (*CustomerCreated, error) {
	return nil, errPending
}
func (s *Service) GetCustomer(ctx context.Context, id string) (*Customer, error) {
	return nil, errPending
}
func (s *Service) UpdateCustomer(ctx context.Context, id string, u CustomerUpdate) (*Customer, error) {
	return nil, errPending
}
func (s *Service) DeleteCustomer(ctx context.Context, id string) error { return errPending }
func (s *Service) ListCustomers(ctx context.Context, q CustomerQuery) iter.Seq2[Customer, error] {
	return func(yield func(Customer, error) bool) { yield(Customer{}, errPending) }
}
func (s *Service) FindCustomers(ctx context.Context, q CustomerQuery) ([]Customer, error) {
	return nil, errPending
}
func (s *Service) ListBillingAccounts(ctx context.Context, q BillingAccountQuery) iter.Seq2[BillingAccount, error] {
	return func(yield func(BillingAccount, error) bool) { yield(BillingAccount{}, errPending) }
}
