//go:build !unix

package acctest

// Supervise does nothing here.
func (c *Terraform) Supervise() {}

// Killed skips the test.
func (c *Terraform) Killed(Kill, <-chan struct{}, func(), ...string) (p Printed, out []byte) {
	c.t.Helper()
	c.t.Skip("processes are killed on Unix")
	return p, nil
}
