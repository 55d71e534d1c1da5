import Foundation
import Synchronization

extension NSManagedObjectContext {
    /// The first error of a read that could not be thrown, because it occurred in a property access; nil if there was none.
    ///
    /// A deleted row and an unreadable row are different cases. If the store could not be read (another process locks the file
    /// for longer than the timeout, a disk fails, no file descriptor is left), a property returns a placeholder, as it does for
    /// a deleted row: nil, 0, an empty string, an empty relationship. The placeholder is not kept: the next access reads again.
    /// Values set on such an object are not kept either. The error is recorded here, and every ``save()`` of the context throws
    /// it before anything is written, until the program calls ``takeReadError()``, ``reset()``, ``rollback()`` or
    /// ``refreshAllObjects()``. A child that saves into a context without unsaved changes clears it too.
    ///
    /// A delete rule that needs unreadable objects is applied once they can be read. Saving a child context throws in the child
    /// if the parent could not read. Check this property after reading objects without saving, for example before a server
    /// sends its response.
    ///
    /// Must be read on the context's queue. Not part of Apple's framework, which raises an Objective-C exception.
    public final var readError: (any Error)? {
        checkQueue()
        return readErrors.first
    }

    /// Returns the error of ``readError`` and clears it, so that saves no longer throw it.
    ///
    /// Keeps unsaved changes. Objects that returned placeholders are reported to observers as refreshed, and the next access
    /// reads them; changed objects that could not be refreshed are read again immediately, below their changes. If the store
    /// still cannot be read, ``readError`` is set again.
    ///
    /// Must be called on the context's queue.
    @discardableResult
    public final func takeReadError() -> (any Error)? {
        checkQueue()
        guard let error = readErrors.first else { return nil }
        let objects = readErrors.take().filter { $0.context === self && !$0._state.isEnding }
        reread(objects.filter { $0._state.isUpdated && $0._row != nil })
        for object in objects { noteRefreshed(object) }
        changes.resumePostponedDeletions()
        processPendingChanges()
        return error
    }

    /// True if the program stops, with the reason, when an object or a relationship cannot be read. False by default, unless
    /// the environment contains `COREDATA_UNREADABLE=stop`.
    ///
    /// Apple's framework stops a program in this case by an exception. May be set on any thread.
    public static var stopsOnUnreadableFaults: Bool {
        get { stopsAtReadErrors.load(ordering: .relaxed) }
        set { stopsAtReadErrors.store(newValue, ordering: .relaxed) }
    }
}

private let stopsAtReadErrors = Atomic<Bool>(
    ProcessInfo.processInfo.environment["COREDATA_UNREADABLE"] == "stop")
