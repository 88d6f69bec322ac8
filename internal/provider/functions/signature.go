package functions

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// NewSignature returns the function webhook_signature.
func NewSignature() function.Function {
	return fn{"webhook_signature", function.Definition{
		Summary: "Signs a webhook delivery",
		MarkdownDescription: "The value of the header `X-Webhook-Signature` for a body: `t=<unix seconds>,v1=<hex>`, " +
			"where v1 is the lowercase hexadecimal HMAC-SHA256 of `<t>.<body>` with the endpoint's secret. Use it to test a " +
			"consumer. `verify_webhook_signature` verifies it.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "secret", MarkdownDescription: "Secret of the endpoint, `whsec_…`. Must not be " +
				"empty."},
			function.Int64Parameter{Name: "timestamp", CustomType: value.Seconds,
				MarkdownDescription: "Time of sending in unix seconds."},
			function.StringParameter{Name: "body", MarkdownDescription: "The raw body, exactly as it is sent."},
		},
		Return: function.StringReturn{},
	}, runSignature}
}

// NewVerifySignature returns the function verify_webhook_signature.
func NewVerifySignature() function.Function {
	return fn{"verify_webhook_signature", function.Definition{
		Summary: "Verifies the signature of a webhook delivery",
		MarkdownDescription: "Verifies a header `X-Webhook-Signature` as a consumer does: the signature must match the " +
			"raw body, and its time must not differ from `now` by more than `tolerance` seconds. Otherwise, also for a " +
			"malformed header, it returns `false`.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "secret", MarkdownDescription: "Secret of the endpoint, `whsec_…`. Must not be " +
				"empty."},
			function.StringParameter{Name: "header", MarkdownDescription: "Value of the header, `t=…,v1=…`."},
			function.StringParameter{Name: "body", MarkdownDescription: "The raw body, exactly as received."},
			function.Int64Parameter{Name: "now", CustomType: value.Seconds,
				MarkdownDescription: "Time of the check in unix seconds."},
			function.Int64Parameter{Name: "tolerance", CustomType: value.Seconds, MarkdownDescription: "Largest difference " +
				"in seconds, 0 or more; 300 is recommended."},
		},
		Return: function.BoolReturn{},
	}, runVerifySignature}
}

// lastSecond is in the year 5138: larger numbers are milliseconds.
const lastSecond = 100_000_000_000

const tooLate = "%d is too far in the future for unix seconds. If it is in milliseconds, divide it by 1000."

const emptySecret = "The secret is empty. Anyone could create such a signature; set it to the secret of the endpoint " +
	"(whsec_…)."

func runSignature(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var secret, body string
	var timestamp int64
	if resp.Error = req.Arguments.Get(ctx, &secret, &timestamp, &body); resp.Error != nil {
		return
	}
	switch {
	case secret == "":
		resp.Error = invalidArgument(0, emptySecret)
	case timestamp < 0:
		resp.Error = invalidArgument(1, "The timestamp is negative. Write unix seconds, such as 1767225600.")
	case timestamp > lastSecond:
		resp.Error = invalidArgument(1, tooLate, timestamp)
	default:
		t := strconv.FormatInt(timestamp, 10)
		resp.Error = resp.Result.Set(ctx, "t="+t+",v1="+hex.EncodeToString(sign(secret, t, body)))
	}
}

func runVerifySignature(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var secret, header, body string
	var now, tolerance int64
	if resp.Error = req.Arguments.Get(ctx, &secret, &header, &body, &now, &tolerance); resp.Error != nil {
		return
	}
	switch {
	case secret == "":
		resp.Error = invalidArgument(0, emptySecret)
	case now > lastSecond:
		resp.Error = invalidArgument(3, tooLate, now)
	case tolerance < 0:
		resp.Error = invalidArgument(4, "The tolerance is negative. Write seconds, such as 300.")
	default:
		resp.Error = resp.Result.Set(ctx, isValid(secret, header, body, now, tolerance))
	}
}

// sign returns the HMAC of service description, Collections §5. t is used as written.
func sign(secret, t, body string) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "." + body))
	return mac.Sum(nil)
}

// isValid verifies a header. It compares the signature even if the time is wrong, so that the duration reveals nothing.
func isValid(secret, header, body string, now, tolerance int64) bool {
	t, v1, ok := parseHeader(header)
	if !ok {
		return false
	}
	at, err := strconv.ParseInt(t, 10, 64)
	signature, hexErr := hex.DecodeString(v1)
	matches := hmac.Equal(signature, sign(secret, t, body))
	return err == nil && hexErr == nil && matches && distance(at, now) <= uint64(tolerance)
}

// parseHeader parses a header with exactly t and v1, each once: t in digits, v1 in lowercase hexadecimal.
func parseHeader(header string) (t, v1 string, ok bool) {
	first, second, two := strings.Cut(header, ",")
	t, hasT := strings.CutPrefix(first, "t=")
	v1, hasV1 := strings.CutPrefix(second, "v1=")
	ok = two && hasT && hasV1 && t != "" && strings.Trim(t, "0123456789") == "" &&
		len(v1) == 2*sha256.Size && strings.Trim(v1, "0123456789abcdef") == ""
	return t, v1, ok
}

// distance returns the absolute difference, which may be too large for a signed number.
func distance(a, b int64) uint64 {
	if a < b {
		a, b = b, a
	}
	return uint64(a) - uint64(b)
}
