package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// IsGenuine: body is the bytes as they came.
func IsGenuine(headers http.Header, body []byte) bool {
	key := []byte(os.Getenv("WEBHOOK_SECRET"))
	if len(key) == 0 {
		return false
	}
	parts := strings.Split(headers.Get("x-webhook-signature"), ",")
	sent := strings.TrimPrefix(parts[0], "t=")
	seconds, notANumber := strconv.ParseInt(sent, 10, 64)
	if notANumber != nil || math.Abs(float64(time.Now().Unix()-seconds)) > 300 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(sent + "."))
	mac.Write(body)
	expected := "v1=" + hex.EncodeToString(mac.Sum(nil))
	for _, part := range parts {
		if hmac.Equal([]byte(part), []byte(expected)) {
			return true
		}
	}
	return false
}
