package delivery

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"
)

// Signature is the value of X-Webhook-Signature for a body sent at that
// time: t in whole seconds, and v1 the HMAC-SHA256 of "<t>.<body>" keyed with
// the whole secret, prefix and all (service description, Collections §5).
func Signature(secret string, at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return "t=" + t + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}
