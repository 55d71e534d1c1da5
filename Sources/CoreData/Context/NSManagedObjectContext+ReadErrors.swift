import Foundation
import Synchronization

extension NSManagedObjectContext {
    /// The first error of a read that could not be thrown, because a property was being accessed; nil if there was none.
    ///
    /// A row that is gone and a row that could not be read are different things. Where the store could not be read (another
    /// program holds the file for longer than the timeout, a disk fails, no file descriptor is left), a property gives a
    /// placeholder, as it does for a row that is gone: nil, 0, an empty text, an empty relationship. It is not kept: the next
    /// access reads again. Values that are set on such an object are not kept either. The error is noted here, and every
    /// ``save()`` of the context throws it before anything is written, until the program calls ``takeReadError()``, ``reset()``,
    /// ``rollback()`` or ``refreshAllObjects()``; so does a child that saves into a context without unsaved changes.
    ///
    /// A delete rule whose objects could not be read is applied when they can be. Saving a child context whose parent could not
    /// read throws in the child. Look here after reading objects without saving, as a server does before it answers.
    ///
    /// Read it on the context's queue. Not part of Apple's framework, which raises an Objective-C exception.
    public final var readError: (any Error)? {
        checkQueue()
        return readErrors.first
    }

    /// Gives the error that ``readError`` has, and ends that saves throw it.
    ///
    /// Unsaved changes stay. Objects that gave placeholders are reported as refreshed to those who observe the context, and the
    /// next access reads them; changed objects that could not be refreshed are read again at once, under their changes. Where
    /// the store still cannot be read, the error of that is there afterwards.
    ///
    /// Call it on the context's queue.
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

    /// True where the program is to stop, with the reason, when an object or a relationship cannot be read. False at first, unless the
    /// environment has `COREDATA_UNREADABLE=stop`.
    ///
    /// Apple's framework stops a program there by an exception. May be set on any thread.
    public static var stopsOnUnreadableFaults: Bool {
        get { stopsAtReadErrors.load(ordering: .relaxed) }
        set { stopsAtReadErrors.store(newValue, ordering: .relaxed) }
    }
}

private let stopsAtReadErrors = Atomic<Bool>(
    ProcessInfo.processInfo.environment["COREDATA_UNREADABLE"] == "stop")
