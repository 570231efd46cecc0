package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"os"
	"strings"
)

// IsGenuine: body is the bytes as they came.
func IsGenuine(headers http.Header, body []byte) bool {
	key := []byte(os.Getenv("WEBHOOK_SECRET"))
	if len(key) == 0 {
		return false
	}
	parts := strings.Split(headers.Get("x-webhook-signature"), ",")
	mac := hmac.New(sha256.New, key)
	mac.Write(body)
	expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	for _, part := range parts {
		if hmac.Equal([]byte(part), []byte(expected)) {
			return true
		}
	}
	return false
}
