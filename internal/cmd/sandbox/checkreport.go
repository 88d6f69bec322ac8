package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

type checkReport struct {
	p    program
	json bool

	held, tolerated, skipped, left int

	failed []int // numbers of claims

	refused bool // a claim was skipped because a token lacks a scope

	rewordings []string // kinds of wording that the service has, by their name in serve --rewords

	file *checkFile
}

// checkLine is the result of one claim in the --json output.
type checkLine struct {
	Claim   int            `json:"claim"`
	Result  string         `json:"result"` // ok, failed, tolerated or skipped
	Text    string         `json:"text"`
	Source  string         `json:"source"`
	Service claims.Service `json:"service"`
	// Section is the heading on the page of the assumptions.
	Section string `json:"section"`
	Reason  string `json:"reason,omitempty"`
	// Rewording is the kind of wording that the claim found, by its name in serve --rewords.
	Rewording string `json:"rewording,omitempty"`
	// FollowsFrom lists failed claims on which this one rests. Its failure follows from theirs.
	FollowsFrom []int `json:"follows_from,omitempty"`
	// For a failed claim: its effect on users of the provider, the advice, and the request and response that prove it.
	Means     string             `json:"means,omitempty"`
	Advice    string             `json:"advice,omitempty"`
	Operation string             `json:"operation,omitempty"`
	Exchange  *evidence.Exchange `json:"exchange,omitempty"`
}

func lineOf(claim claims.Claim, result, reason string) checkLine {
	return checkLine{
		Claim: claim.Number, Result: result, Text: claim.Text, Source: claim.Source, Service: claim.Service,
		Section: claim.Section(), Reason: reason, Operation: claim.Operation(),
	}
}

func (r *checkReport) skip(claim claims.Claim, reason string) error {
	r.skipped++
	return r.write(lineOf(claim, "skipped", reason))
}

func (r *checkReport) result(result claims.Result) error {
	rewording := result.Rewording()
	if rewording != "" {
		r.rewordings = append(r.rewordings, rewording)
	}
	switch {
	case result.Left != nil:
		r.held++
		r.left++
		return r.write(lineOf(result.Claim, "ok", "clean-up: "+result.Left.Error()))
	case result.Err == nil:
		r.held++
		return r.write(lineOf(result.Claim, "ok", ""))
	case result.NotGiven():
		var refused *claims.ScopeError
		r.refused = r.refused || errors.As(result.Err, &refused)
		needed := strings.TrimPrefix(result.Err.Error(), claims.ErrNotGiven.Error()+": ")
		return r.skip(result.Claim, needed+" is not available")
	case result.Tolerated != nil:
		r.tolerated++
		line := lineOf(result.Claim, "tolerated", result.Err.Error())
		line.Means = "Nothing: the provider accepts " + strings.Join(result.Tolerated, ", and ") + "."
		line.Rewording = rewording
		return r.write(line)
	}
	line := lineOf(result.Claim, "failed", result.Err.Error())
	line.FollowsFrom = result.Claim.FollowsFrom(r.failed)
	r.failed = append(r.failed, result.Claim.Number)
	line.Means, line.Advice, line.Rewording = result.Claim.Otherwise, issueAdvice, rewording
	var failure *claims.Failure
	if errors.As(result.Err, &failure) && failure.Exchange != nil {
		line.Exchange = failure.Exchange
		if status := failure.ServiceFailed(); status != 0 {
			line.Means = "Not known: the service failed."
			line.Advice = fmt.Sprintf("check again when the service no longer responds %d; if it always does so to this "+
				"request, ask its support, with the Request-Id", status)
		} else if failure.WrongRoute() {
			line.Operation, line.Advice = failure.Exchange.Operation, routeAdvice(failure.Exchange)
		}
	}
	return r.write(line)
}

// bodyMethods are the methods that a service may use interchangeably.
var bodyMethods = []string{http.MethodPut, http.MethodPatch, http.MethodPost}

// routeAdvice suggests an entry for the provider argument operations. A 405 lists the path's methods.
func routeAdvice(exchange *evidence.Exchange) string {
	all := evidence.Operations()
	i := slices.IndexFunc(all, func(o evidence.Operation) bool { return o.Name == exchange.Operation })
	method, path := all[i].Method, all[i].Path
	for allowed := range strings.SplitSeq(exchange.Response.Headers["Allow"], ",") {
		allowed = strings.TrimSpace(allowed)
		if slices.Contains(bodyMethods, method) && slices.Contains(bodyMethods, allowed) {
			method = allowed
		}
	}
	return fmt.Sprintf("the service does not serve this route: in the provider, set operations = { %q = %q } with "+
		"the method and path that the service has, and check again with --operation '%s=%s %s'; if it has no such route, "+
		"file an issue",
		exchange.Operation, method+" "+path, exchange.Operation, method, path)
}

const assumptionsPage = "internal/evidence/README.md in the provider's repository"

// issueAdvice is the advice for all other failures.
const issueAdvice = "file an issue in the provider's repository with this claim, request and response"

func (r *checkReport) write(line checkLine) error {
	r.file.lines = append(r.file.lines, line)
	if r.json {
		return writeJSON(r.p.out, line)
	}
	line.Reason = strings.ReplaceAll(line.Reason, "\n", "\n              ") // below the first line, of each service
	out := fmt.Sprintf("%-9s %4d  %s", line.Result, line.Claim, line.Text)
	switch line.Result {
	case "ok", "skipped":
		if line.Reason != "" {
			out += " (" + line.Reason + ")"
		}
	case "tolerated":
		out += fmt.Sprintf("\n  means       %s\n  found       %s", line.Means, line.Reason)
	case "failed":
		if line.FollowsFrom != nil {
			out += "\n  follows     from " + numberList(line.FollowsFrom)
		}
		out += fmt.Sprintf("\n  means       %s\n  assumption  %s; %s, section %q\n  found       %s\n  next        %s",
			line.Means, line.Source, assumptionsPage, line.Section, line.Reason, line.Advice)
		if line.Exchange != nil {
			out += exchangeText(*line.Exchange)
		}
	}
	_, err := fmt.Fprintln(r.p.out, out)
	return err
}

func exchangeText(e evidence.Exchange) string {
	query := ""
	if len(e.Request.Query) > 0 {
		query = " " + asText(e.Request.Query)
	}
	text := fmt.Sprintf("\n  request     %s %s%s %s", e.Request.Method, e.Request.Path, query, e.Request.Body)
	text = strings.TrimRight(text, " ")
	if e.Response.Status != 0 {
		text += fmt.Sprintf("\n  response    %d %s %s", e.Response.Status, asText(e.Response.Headers), e.Response.Bytes())
	}
	return strings.TrimRight(text, " ")
}

func asText(value map[string]string) string {
	raw, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// end prints the totals. It returns an error for failed claims, which have been explained, or for a missing scope.
func (r *checkReport) end() error {
	if r.file.name != "" {
		if err := r.file.write(); err != nil {
			return err
		}
	}
	if !r.json {
		if len(r.rewordings) > 0 {
			slices.Sort(r.rewordings)
			fmt.Fprintf(r.p.out, "The service stores texts in its own wording: %s. \"%s serve --rewords %s\" simulates it.\n",
				strings.Join(r.rewordings, ", "), r.p.called(), strings.Join(r.rewordings, ","))
		}
		sum := fmt.Sprintf("%d ok, %d failed, %d skipped", r.held, len(r.failed), r.skipped)
		if r.tolerated > 0 {
			sum += fmt.Sprintf(", %d tolerated", r.tolerated)
		}
		fmt.Fprintln(r.p.out, sum)
	}
	switch {
	case len(r.failed) == 1:
		return errors.New("1 of the assumptions about the services is wrong")
	case len(r.failed) > 0:
		return fmt.Errorf("%d of the assumptions about the services are wrong", len(r.failed))
	case r.left > 0:
		return fmt.Errorf("%d of the claims left objects behind", r.left)
	case r.refused:
		return errors.New("not everything was checked: the tokens lack the scopes that skipped claims name")
	}
	return nil
}
