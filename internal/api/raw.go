package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
)

// Raw carries out an operation whose response is a document and not JSON, such as
// YAML, and returns it as it came. Request.Accept says what is wanted. A page of
// HTML, which is what a proxy or a wrong address responds with, is an error, and so
// is an empty response.
func Raw(ctx context.Context, c *Client, r Request) ([]byte, error) {
	response, err := c.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := checkDocument(response); err != nil {
		return nil, c.unusable(response, err)
	}
	return response.Body, nil
}

func checkDocument(response *Response) error {
	body := bytes.TrimSpace(response.Body)
	contentType := response.Header.Get("Content-Type")
	mediaType, _, err := mime.ParseMediaType(contentType)
	switch {
	case len(body) == 0:
		return errors.New("the response has no body")
	case err == nil && mediaType == "text/html", bytes.HasPrefix(body, []byte("<")):
		return fmt.Errorf("the response is a web page and not the requested document, its content type is %q; check the "+
			"configured address",
			cleanLine(contentType, maxHintRunes))
	}
	return nil
}
