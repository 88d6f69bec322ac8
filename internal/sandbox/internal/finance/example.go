package finance

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// The companies of the example data, whose ids stay the same so that examples
// can filter by them.
const (
	ExampleCompany       = "7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6a" // Padaria Aurora Ltda.
	ExampleSecondCompany = "2c9e4f7a-0b1d-4e85-9a36-c4d5e6f70819" // Livraria Ipê Amarelo Ltda.
)

type example struct {
	daysAgo int // when it occurred, from the start of the clock
	name    string
	company string
	amount  string
	status  string
	more    map[string]any
}

const (
	first  = ExampleCompany
	second = ExampleSecondCompany
)

var exampleAccounts = []example{
	{120, "Conta corrente", first, "", "active", map[string]any{"kind": "bank", "bank": "001", "branch": "1234-5",
		"balance": "18450.37"}},
	{120, "Caixa da loja", first, "", "active", map[string]any{"kind": "cash", "balance": "1212.80"}},
	{118, "Cartão da empresa", first, "", "active", map[string]any{"kind": "credit_card", "closing_day": 5,
		"balance": "0.00"}},
	{97, "Conta corrente", second, "", "active", map[string]any{"kind": "bank", "bank": "341", "branch": "0042",
		"balance": "73210.04"}},
	{96, "Aplicação automática", second, "", "active", map[string]any{"kind": "investment", "balance": "120000.00"}},
}

var examplePayables = []example{
	{92, "Aluguel da loja", first, "4200.00", "paid",
		map[string]any{"category": "rent", "supplier": "Imobiliária Boa Vista"}},
	{88, "Energia elétrica", first, "1187.42", "paid",
		map[string]any{"category": "utilities", "supplier": "Companhia de Energia do Vale"}},
	{85, "Farinha e fermento", first, "3310.90", "paid",
		map[string]any{"category": "supplies", "supplier": "Moinho Santa Clara"}},
	{76, "Editora Mar Aberto, lote 118", second, "9875.50", "paid",
		map[string]any{"category": "supplies", "supplier": "Editora Mar Aberto"}},
	{61, "Aluguel da loja", first, "4200.00", "paid",
		map[string]any{"category": "rent", "supplier": "Imobiliária Boa Vista"}},
	{58, "Energia elétrica", first, "1243.07", "paid",
		map[string]any{"category": "utilities", "supplier": "Companhia de Energia do Vale"}},
	{54, "Embalagens", first, "612.35", "paid", map[string]any{"category": "supplies", "supplier": "Papel & Cia."}},
	{47, "Frete de devoluções", second, "348.00", "paid",
		map[string]any{"category": "freight", "supplier": "Transportes Andorinha"}},
	{31, "Aluguel da loja", first, "4200.00", "paid",
		map[string]any{"category": "rent", "supplier": "Imobiliária Boa Vista"}},
	{27, "Energia elétrica", first, "1098.66", "paid",
		map[string]any{"category": "utilities", "supplier": "Companhia de Energia do Vale"}},
	{19, "Editora Mar Aberto, lote 131", second, "12040.00", "open",
		map[string]any{"category": "supplies", "supplier": "Editora Mar Aberto", "installments": 3}},
	{12, "Manutenção do forno", first, "890.00", "open", map[string]any{"category": "maintenance",
		"supplier": "Fornos Ribeiro"}},
	{5, "Contabilidade", second, "1450.00", "open",
		map[string]any{"category": "services", "supplier": "Escritório Pinheiro"}},
	{1, "Aluguel da loja", first, "4200.00", "open",
		map[string]any{"category": "rent", "supplier": "Imobiliária Boa Vista"}},
}

var exampleReceivables = []example{
	{89, "Encomenda 2041, Hotel Serra Azul", first, "2380.00", "received", map[string]any{"customer": "Hotel Serra Azul"}},
	{81, "Pedido 771, Colégio Santa Inês", second, "15320.00", "received",
		map[string]any{"customer": "Colégio Santa Inês"}},
	{73, "Encomenda 2077, Café do Porto", first, "946.50", "received", map[string]any{"customer": "Café do Porto"}},
	{60, "Encomenda 2103, Hotel Serra Azul", first, "2410.00", "received", map[string]any{"customer": "Hotel Serra Azul"}},
	{52, "Pedido 802, Biblioteca Municipal", second, "8799.90", "received",
		map[string]any{"customer": "Biblioteca Municipal"}},
	{44, "Encomenda 2131, Buffet Alegria", first, "5120.75", "received", map[string]any{"customer": "Buffet Alegria"}},
	{33, "Estorno do fornecedor", second, "348.00", "received", map[string]any{"customer": "Transportes Andorinha"}},
	{29, "Encomenda 2160, Hotel Serra Azul", first, "2395.20", "received", map[string]any{"customer": "Hotel Serra Azul"}},
	{21, "Pedido 836, Colégio Santa Inês", second, "4105.00", "overdue", map[string]any{"customer": "Colégio Santa Inês"}},
	{14, "Encomenda 2188, Café do Porto", first, "1012.00", "open", map[string]any{"customer": "Café do Porto"}},
	{8, "Pedido 849, Livros & Letras", second, "6630.10", "open", map[string]any{"customer": "Livros & Letras"}},
	{2, "Encomenda 2204, Buffet Alegria", first, "3275.00", "open", map[string]any{"customer": "Buffet Alegria"}},
}

// PutExamples makes the example data of an organization.
func (s *Service) PutExamples(tx *store.Tx, organization string) error {
	for _, list := range []struct {
		collection, direction string
		examples              []example
	}{{"accounts", "", exampleAccounts}, {"payables", "debit", examplePayables},
		{"receivables", "credit", exampleReceivables}} {
		for i, e := range list.examples {
			at := s.Clock.Now().AddDate(0, 0, -e.daysAgo).Truncate(time.Hour)
			row := RecordRow{Owned: server.Owned{Organization: organization}, Collection: list.collection,
				ID: exampleID(list.collection, i), Number: s.Next(tx), CreatedAt: server.Timestamp{Time: at}, UpdatedAt: server.Timestamp{Time: at}}
			if _, _, err := s.putRecord(tx, row, e.fields(at, list.direction)); err != nil {
				return fmt.Errorf("example %d of %s: %w", i, list.collection, err)
			}
		}
	}
	return nil
}

// daysToPay is how long after it occurred a payable or receivable is due.
const daysToPay = 15

// fields are the record's. An account has no amount, nothing that occurred, and
// is never due.
func (e example) fields(at time.Time, direction string) map[string]any {
	fields := map[string]any{"name": e.name, "company_id": e.company, "status": e.status}
	for name, value := range e.more {
		fields[name] = value
	}
	if direction != "" {
		fields["amount"], fields["type"], fields["occurred_at"] = e.amount, direction, at.UTC().Format(time.DateOnly)
		fields["due_on"] = at.UTC().AddDate(0, 0, daysToPay).Format(time.DateOnly)
	}
	return fields
}

// exampleID is the same in every sandbox, and takes nothing from the source of
// the other ids.
func exampleID(collection string, i int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "example %s %d", collection, i))
	id := uuid.UUID(sum[:16])
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // version 4, variant of RFC 9562
	return id.String()
}
