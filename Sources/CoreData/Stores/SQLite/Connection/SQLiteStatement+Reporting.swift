extension SQLiteStatement: ReportedStatement {
    var boundValues: [String] { BoundValues(of: self).all }
    var queryPlan: [String] { QueryPlan(of: self).lines }

    /// Tells instruments that the statement is about to run: for those that step through its rows themselves.
    @inline(__always)
    func reportBeginning() {
        if Probe.isOn { Probe.begins(self) }
    }
}
