//! What reviews may cost: for one review, and for a day.

use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use review_store::Store;

/// Limits in US dollars.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Budget {
    pub(super) per_review: Option<f64>,
    pub(super) per_day: Option<f64>,
}

impl Budget {
    pub(super) fn is_set(self) -> bool {
        self.per_review.is_some() || self.per_day.is_some()
    }
}

/// What is spent of a budget. The day's sum is kept in the store, for all processes together.
pub(super) struct Purse<'s> {
    budget: Budget,
    store: Option<&'s Store>,
    /// Of this review, what is set aside or spent.
    review: Mutex<f64>,
}

impl<'s> Purse<'s> {
    /// # Errors
    /// Why the budget of a day cannot be kept.
    pub(super) fn new(budget: Budget, store: Option<&'s Store>) -> Result<Self, String> {
        if budget.per_day.is_some() && store.is_none() {
            return Err(
                "a budget for a day needs the state folder, which cannot be used".to_owned()
            );
        }
        Ok(Self { budget, store, review: Mutex::default() })
    }
}

/// Millionths of a dollar, so that sums are exact.
#[expect(clippy::cast_possible_truncation, reason = "a cast of floats stops at the bounds")]
fn micros(usd: f64) -> i64 {
    (usd * 1e6).round() as i64
}

/// Today in UTC, as `2026-01-31`.
fn today() -> String {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    now.split('T').next().unwrap_or_default().to_owned()
}

impl review_tool::model::Purse for Purse<'_> {
    fn reserve(&self, usd: f64) -> Result<(), String> {
        let mut review = self.review.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(limit) = self.budget.per_review.filter(|limit| *review + usd > *limit) {
            return Err(format!(
                "the budget of {limit} USD for a review is used up (budget_usd_per_review)"
            ));
        }
        if let (Some(limit), Some(store)) = (self.budget.per_day, self.store) {
            match store.spend(&today(), micros(usd), Some(micros(limit))) {
                Ok(true) => {}
                Ok(false) => {
                    return Err(format!(
                        "the budget of {limit} USD for a day is used up (budget_usd_per_day)"
                    ));
                }
                Err(error) => return Err(format!("the budget of the day cannot be kept: {error}")),
            }
        }
        *review += usd;
        Ok(())
    }

    fn settle(&self, reserved: f64, spent: f64) {
        *self.review.lock().unwrap_or_else(PoisonError::into_inner) += spent - reserved;
        if let (Some(_), Some(store)) = (self.budget.per_day, self.store)
            && let Err(error) = store.spend(&today(), micros(spent - reserved), None)
        {
            log::warn!("what a request cost is not in the day's sum: {error}");
        }
    }
}
