output "ids" {
  description = "The id of each plan, by its name."
  value       = { for name, ids in local.ids : name => one(ids) }

  # A plan that is not there, or a name that two plans have, stops the run before anything is subscribed to.
  precondition {
    condition = length(local.missing) == 0
    error_message = format("No plan is named %s. There are: %s.", join(", ", local.missing),
    join(", ", sort([for plan in local.plans : coalesce(plan.name, plan.id)])))
  }

  precondition {
    condition     = length(local.ambiguous) == 0
    error_message = "More than one plan is named ${join(", ", local.ambiguous)}. Rename one, or use its id."
  }
}
