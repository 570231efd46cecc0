package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// IsGenuine: body is the bytes as they came.
func IsGenuine(headers http.Header, body []byte) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	if err != nil || len(key) == 0 {
		return false
	}
	parts := strings.Split(headers.Get("webhook-signature"), " ")
	sent := headers.Get("webhook-timestamp")
	seconds, notANumber := strconv.ParseInt(sent, 10, 64)
	if notANumber != nil || math.Abs(float64(time.Now().Unix()-seconds)) > 300 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(headers.Get("webhook-id") + "." + sent + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, part := range parts {
		if hmac.Equal([]byte(part), []byte(expected)) {
			return true
		}
	}
	return false
}
