package private

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"

	"github.com/hashicorp/terraform-plugin-framework/attr"
)

// Salt makes the hashes of one object useless for another one. The private state holds hashes of values, because it is
// neither encrypted nor marked as sensitive.
type Salt string

// NewSalt returns a random salt.
func NewSalt() Salt { return Salt(rand.Text()[:8]) }

// Hash returns the hash of a value at a path.
func (s Salt) Hash(path string, value attr.Value) string {
	sum := sha256.Sum256([]byte(string(s) + "\x00" + path + "\x00" + value.String()))
	return base64.RawStdEncoding.EncodeToString(sum[:16])
}
