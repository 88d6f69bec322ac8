package rehearsal

import "fmt"

// Counts are the changes of a plan as Terraform counts them. A replacement is one to add and one to destroy.
type Counts struct {
	Add     int `json:"add"`
	Change  int `json:"change"`
	Destroy int `json:"destroy"`
	Import  int `json:"import"`
	Forget  int `json:"forget"`
	Billing int `json:"billing"` // resources of this provider among them
}

// String is the counts in Terraform's words.
func (n Counts) String() string {
	text := fmt.Sprintf("%d to add, %d to change, %d to destroy", n.Add, n.Change, n.Destroy)
	if n.Import > 0 {
		text = fmt.Sprintf("%d to import, ", n.Import) + text
	}
	if n.Forget > 0 {
		text += fmt.Sprintf(", %d to forget", n.Forget)
	}
	if all := n.Add + n.Change + n.Destroy + n.Forget + n.Import; n.Billing > 0 && n.Billing < all {
		text += fmt.Sprintf("; %d of billing", n.Billing)
	}
	return text
}
