// Asks the official library about each request on stdin; prints a list of true and false.
package main

import (
	"encoding/json"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

type request struct {
	Secret  string            `json:"secret"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

func accepts(one request) bool {
	webhook, err := standardwebhooks.NewWebhook(one.Secret)
	if err != nil {
		return false
	}
	headers := http.Header{}
	for name, value := range one.Headers {
		headers.Set(name, value)
	}
	return webhook.Verify([]byte(one.Body), headers) == nil
}

func main() {
	var requests []request
	if err := json.NewDecoder(os.Stdin).Decode(&requests); err != nil {
		panic(err)
	}
	verdicts := make([]bool, 0, len(requests))
	for _, one := range requests {
		verdicts = append(verdicts, accepts(one))
	}
	if err := json.NewEncoder(os.Stdout).Encode(verdicts); err != nil {
		panic(err)
	}
}
