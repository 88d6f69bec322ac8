package front

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func (s *Server) upgrade(ctx context.Context,
	req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	k := s.kinds.of(ctx, req.TypeName)
	if k == nil || req.Version != k.schema.Version || req.RawState == nil || len(req.RawState.JSON) == 0 {
		return s.Framework.UpgradeResourceState(ctx, req)
	}
	if s.check {
		theirs, err := s.Framework.UpgradeResourceState(ctx, req)
		if err != nil || len(theirs.Diagnostics) > 0 {
			return theirs, err // a state that cannot be read: Terraform reports that itself
		}
		mustEqual("the upgraded state", k.object, &tfprotov6.DynamicValue{JSON: req.RawState.JSON}, theirs.UpgradedState)
	}
	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: &tfprotov6.DynamicValue{JSON: req.RawState.JSON}}, nil
}

// mustEqual panics unless two values on the wire are the same.
func mustEqual(what string, as tftypes.Type, ours, theirs *tfprotov6.DynamicValue) {
	if (ours == nil) != (theirs == nil) {
		panic(fmt.Sprintf("front: %s is %v here and %v in the framework", what, ours, theirs))
	}
	if ours == nil {
		return
	}
	a, err := ours.Unmarshal(as)
	b, other := theirs.Unmarshal(as)
	if err != nil || other != nil || !a.Equal(b) {
		panic(fmt.Sprintf("front: %s is %s (%v) here and %s (%v) in the framework", what, a, err, b, other))
	}
}
