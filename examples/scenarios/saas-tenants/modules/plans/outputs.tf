output "ids" {
  description = "The id of each plan, by its name."
  value       = { for name, ids in local.ids : name => one(ids) }

  # A missing plan or an ambiguous name stops the run before any subscription is created.
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
