package rehearsal

import (
	"context"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Compared moves two copies on, and says what differs.
func Compared(ctx context.Context, without, with *sandbox.Server, since time.Time, days int) (d Differences,
	err error) {
	before, err := moved(ctx, without, since, days)
	if err != nil {
		return d, err
	}
	now, err := moved(ctx, with, since, days)
	return compare(before, now, since, since.AddDate(0, 0, days)), err
}
