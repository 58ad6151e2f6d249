//! Large buffers that are kept for the next large message.
//!
//! Fresh memory costs a page fault per 4 KiB, which is a good part of what a message of a megabyte
//! costs. A few buffers are therefore handed round; everything beyond is given back at once.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::frame::KEPT_CAPACITY;
use crate::sync::lock;

/// How many buffers are kept.
const KEPT: usize = 3;

/// The largest buffer that is kept, in bytes.
const LARGEST: usize = 4 * 1024 * 1024;

#[derive(Debug, Default)]
pub(super) struct Spares {
    buffers: Mutex<Vec<Vec<u8>>>,
    /// The number of buffers, so that small messages need no lock.
    count: AtomicUsize,
}

impl Spares {
    /// Replaces a small empty buffer by a large one, if one is here.
    pub(super) fn lend(&self, buffer: &mut Vec<u8>) {
        if self.count.load(Ordering::Relaxed) == 0 || buffer.capacity() > KEPT_CAPACITY {
            return;
        }
        let mut buffers = lock(&self.buffers);
        if let Some(mut spare) = buffers.pop() {
            self.count.store(buffers.len(), Ordering::Relaxed);
            drop(buffers);
            spare.append(buffer);
            *buffer = spare;
        }
    }

    /// Takes a large buffer in; its contents are dropped. A small one stays with its owner.
    pub(super) fn take_back(&self, buffer: &mut Vec<u8>) {
        if buffer.capacity() <= KEPT_CAPACITY {
            return;
        }
        let mut buffer = std::mem::take(buffer);
        let mut buffers = lock(&self.buffers);
        if buffer.capacity() > LARGEST {
            // Messages of this size need the memory more than the next smaller one does.
            buffers.clear();
        } else if buffers.len() < KEPT {
            buffer.clear();
            buffers.push(buffer);
        }
        self.count.store(buffers.len(), Ordering::Relaxed);
    }
}
